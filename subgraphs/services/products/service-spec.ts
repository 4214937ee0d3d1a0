import type { Service } from '../inventory/service.entity.ts';
import { type ServiceTerms, termsOf } from '../inventory/service-terms.ts';
import type { ServiceSpec } from '../providers/service.provider.ts';
import type { WantedService } from './product.ts';
import { productOf } from './registry.ts';

/** Returns the order to the provider for a service with the given terms. Default: the current terms of the service. */
export function specOf(service: Service, terms: ServiceTerms = termsOf(service)): ServiceSpec {
  const { type, serviceType } = service;
  return { type, serviceType, ...productOf(type).spec(wantedOf(service, terms)) };
}

/** Combines a service and terms to the input of the product's functions `check` and `spec`. */
export const wantedOf = ({ serviceType, accountId, location }: Service, terms: ServiceTerms): WantedService => ({
  ...terms,
  serviceType,
  accountId,
  location,
});
