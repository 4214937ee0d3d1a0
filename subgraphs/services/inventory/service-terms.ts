import type { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import type { Service } from './service.entity.ts';
import type { ServiceContacts } from './service-contacts.ts';

/** Settings that are specific to a kind of service: plain JSON, with names in snake_case as in REST. */
export type Configuration = Record<string, unknown>;

/** Properties of a service that its order sets and that later changes can replace. */
export interface ServiceTerms {
  name: string;
  sla: string | null;
  billingCycle: BillingCycle;
  contacts: ServiceContacts | null;
  bandwidthMbps: number | null;
  /** Names of the features that are switched on, in the order of the catalog. */
  features: readonly string[];
  configuration: Configuration;
}

/**
 * New values for some of the terms. In `configuration`, null removes a setting, and settings that are not named stay.
 */
export type ServicePatch = Partial<ServiceTerms>;

export const termsOf = ({ name, sla, billingCycle, contacts, bandwidthMbps, features, configuration }: Service): ServiceTerms => ({
  name,
  sla,
  billingCycle,
  contacts,
  bandwidthMbps,
  features,
  configuration,
});

export function patched(terms: ServiceTerms, patch: ServicePatch): ServiceTerms {
  const merged = Object.entries({ ...terms.configuration, ...patch.configuration }).filter(([, value]) => value !== null);
  return { ...terms, ...patch, configuration: Object.fromEntries(merged) };
}

/**
 * Returns terms and price with the field names and values that REST and events use. Each setting becomes a field
 * `configuration.<name>`.
 */
export function publicTerms(terms: ServiceTerms, monthlyPrice: number): Record<string, unknown> {
  const { name, sla, billingCycle, contacts, bandwidthMbps, features, configuration } = terms;
  return {
    name,
    sla,
    billing_cycle: billingCycle,
    contacts,
    bandwidth: bandwidthMbps === null ? null : formatBandwidth(bandwidthMbps),
    features,
    ...Object.fromEntries(Object.entries(configuration).map(([key, value]) => [`configuration.${key}`, value])),
    monthly_price: monthlyPrice,
  };
}
