import { ServiceType } from '../inventory/service.states.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import type { Monitoring } from '../products/internet/monitoring.ts';
import { BANDWIDTH, LOCATION } from '../products/order-needs.ts';
import type { ProvisioningCustomizations } from './provisioning-request.values.ts';

/** The requested service: options, features and quote, and the result of the last check. */
export interface RequestedTerms {
  /** Kind of the catalog service that is requested. */
  type: ServiceType;
  /** Names of the data that an order needs: `location`, `bandwidth`, and settings of the product. */
  needs: readonly string[];
  /** Bandwidth and settings, as sent, with the names of REST. */
  options: Configuration;
  features: readonly string[];
  quoteId: string | null;
  quoteLine: number | null;
}

/**
 * Stored form of the terms. Earlier releases read only `bandwidth`, `redundancy` and `monitoring`, which must not be null, and store
 * requests without `terms`.
 */
export interface StoredTerms extends ProvisioningCustomizations {
  terms?: RequestedTerms;
}

const { INTERNET } = ServiceType;

/** Default terms of a request, before its input is applied and checked. */
export const NO_TERMS: RequestedTerms = { type: INTERNET, needs: [], options: {}, features: [], quoteId: null, quoteLine: null };

/** Returns the terms of a stored request, also if an earlier release has stored it. */
export const requestedTerms = ({ terms, ...options }: StoredTerms): RequestedTerms =>
  terms ?? { ...NO_TERMS, needs: [LOCATION, BANDWIDTH], options };

/**
 * Converts terms to the form that is stored. If earlier releases do not know some of the terms, the field `bandwidth` that
 * they read is empty, so that they cannot order the service. They would order a different service, or at a different price.
 */
export const storedTerms = (terms: RequestedTerms): StoredTerms => ({
  ...internetOptions(terms.options),
  ...(isKnownToEarlierReleases(terms) ? {} : { bandwidth: '' }),
  terms,
});

/** Returns true if earlier releases can order the service. They know only internet services without features and quotes. */
export const isKnownToEarlierReleases = ({ type, features, quoteId }: RequestedTerms): boolean =>
  type === INTERNET && features.length === 0 && quoteId === null;

/** Returns the options as fields of `ProvisioningCustomizations`. Options that are missing have their defaults. */
export const internetOptions = ({ bandwidth, redundancy, monitoring }: Configuration): ProvisioningCustomizations => ({
  bandwidth: (bandwidth as string | undefined) ?? '',
  redundancy: redundancy === true,
  monitoring: (monitoring as Monitoring | undefined) ?? false,
});

/** Returns the options that callers see. For an internet line, they always contain `redundancy` and `monitoring`. */
export const shownOptions = ({ type, options }: RequestedTerms): Configuration =>
  type === INTERNET ? { ...sizeOf(options), redundancy: false, monitoring: false, ...options } : options;

const sizeOf = ({ bandwidth }: Configuration): Configuration => (bandwidth === undefined ? {} : { bandwidth });
