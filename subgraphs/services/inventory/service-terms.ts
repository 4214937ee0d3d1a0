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
export interface ServicePatch extends Partial<ServiceTerms> {
  /**
   * Features to switch on or off. Earlier changes of the service can still fail or be cancelled, so this is applied to the features that the
   * service has when the change begins. `features` then contains the expected result, for processes of an earlier release.
   */
  switched?: Readonly<Record<string, boolean>>;
}

export const termsOf = ({ name, sla, billingCycle, contacts, bandwidthMbps, features, configuration }: Service): ServiceTerms => ({
  name,
  sla,
  billingCycle,
  contacts,
  bandwidthMbps,
  features,
  configuration,
});

export function patched(terms: ServiceTerms, { switched, ...patch }: ServicePatch): ServiceTerms {
  const merged = Object.entries({ ...terms.configuration, ...patch.configuration }).filter(([, value]) => value !== null);
  const features = switched ? withSwitched(terms.features, switched) : (patch.features ?? terms.features);
  return { ...terms, ...patch, features, configuration: Object.fromEntries(merged) };
}

/** Returns the names of all features that are on after some were switched on or off. */
export function withSwitched(present: readonly string[], switched: Readonly<Record<string, boolean>>): string[] {
  const on = Object.entries(switched).flatMap(([name, isOn]) => (isOn ? [name] : []));
  return [...present.filter((name) => switched[name] === undefined), ...on];
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
