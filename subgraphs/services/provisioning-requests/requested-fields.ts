import { refuse } from '../../../kernel/errors/errors.ts';
import { definedOnly } from '../../../kernel/records/records.ts';
import { formatBandwidth, mbpsOf } from '../coverage/bandwidth.ts';
import { plainLocation } from '../coverage/location.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import { BANDWIDTH, LOCATION } from '../products/order-needs.ts';
import { NEEDS_QUOTE } from '../products/quote-fields.ts';
import type { ProvisioningRequest, RequestedFields } from './provisioning-request.entity.ts';
import type { ProvisioningRequestInput, ProvisioningRequestUpdateInput } from './provisioning-request.inputs.ts';
import type { RequestedTerms } from './provisioning-request-terms.ts';

/** The fields of a request that a check can set. */
export const checkedFieldsOf = ({ accountId, terms }: ProvisioningRequest): Pick<ProvisioningRequest, 'accountId' | 'terms'> => ({
  accountId,
  terms,
});

/**
 * Converts an input to the form that is stored, with normalized bandwidths and plain objects. `terms` are the present terms of the request:
 * the input replaces only the terms that it contains.
 * @throws InvalidParameters if the input names a line and the request has no quote
 */
export function storedFieldsOf(
  input: ProvisioningRequestInput | ProvisioningRequestUpdateInput,
  terms: RequestedTerms,
): Partial<RequestedFields> {
  const { options, customizations, features, quoteId, quoteLine, deploymentSchedule, contacts, location, billingCycle, ...plain } = input;
  const fields: Partial<RequestedFields> = { ...plain };
  if (billingCycle) fields.billingCycle = billingCycle;
  if (deploymentSchedule !== undefined) fields.deploymentSchedule = deploymentSchedule;
  if (location !== undefined) fields.location = location && plainLocation(location);
  if (contacts !== undefined) fields.contacts = contacts && { technical: contacts.technical ?? null, billing: contacts.billing ?? null };
  const wanted = options ?? customizations;
  const changed = {
    options: wanted ? normalized({ ...wanted }) : undefined,
    features: features === null ? [] : features,
    quoteId,
    // a position belongs to its quote
    quoteLine: quoteLine ?? (quoteId === undefined ? quoteLine : null),
  };
  const merged = { ...terms, ...definedOnly(changed) };
  if (quoteLine !== undefined && quoteLine !== null && merged.quoteId === null)
    refuse([{ field: 'quoteLine', value: quoteLine, reason: NEEDS_QUOTE }]);
  return { ...fields, terms: merged };
}

const normalized = ({ bandwidth, ...settings }: Configuration): Configuration =>
  typeof bandwidth === 'string' ? { bandwidth: formatBandwidth(mbpsOf(bandwidth)), ...settings } : settings;

/** Maps the field names in the errors of an order to the names in the GraphQL input of a provisioning request. */
export const namesFor = ({ customizations }: Pick<ProvisioningRequestInput, 'customizations'>): Record<string, string> => {
  const options = customizations ? 'customizations' : 'options';
  return { catalogId: 'serviceTemplate', [BANDWIDTH]: `${options}.${BANDWIDTH}`, configuration: options };
};

/** Maps the field names in the errors of an order to the names in REST, for the reason why a provisioning request has failed. */
export const REST_NAMES: Readonly<Record<string, string>> = {
  catalogId: 'service_template',
  accountId: 'account_id',
  [LOCATION]: LOCATION,
  [BANDWIDTH]: `customizations.${BANDWIDTH}`,
  configuration: 'customizations',
};
