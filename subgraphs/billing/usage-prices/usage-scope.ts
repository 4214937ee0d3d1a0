/** Fields of a service that determine which prices apply to it. */
export interface PricedService {
  serviceId: string;
  /** Subtype of the service, such as `fiber`. */
  serviceType: string;
  /** Kind of the service, such as `internet`. */
  type: string;
  /** Category of the service in the catalog. Null if the catalog entry was deleted. */
  category: string | null;
}

/** Services to which a price applies. If no field is set, the price applies to all services of the organization. */
export interface ScopeParts {
  serviceId?: string | null | undefined;
  serviceType?: string | null | undefined;
  category?: string | null | undefined;
}

export const WHOLE_ORGANIZATION = 'organization';

/** Returns the stored text of a scope, such as `service_type:fiber`. At most one field of the scope may be set. */
export function scopeText({ serviceId, serviceType, category }: ScopeParts): string {
  if (serviceId) return `service:${serviceId}`;
  if (serviceType) return `service_type:${serviceType}`;
  return category ? `category:${category}` : WHOLE_ORGANIZATION;
}

/** Returns the value of a stored scope if the scope has this kind, otherwise null. */
export function partOfScope(scope: string, kind: 'service' | 'service_type' | 'category'): string | null {
  return scope.startsWith(`${kind}:`) ? scope.slice(kind.length + 1) : null;
}

/** Returns the scopes of all prices that apply to a service, the most specific first. */
export const scopesOf = ({ serviceId, serviceType, type, category }: PricedService): string[] => [
  scopeText({ serviceId }),
  scopeText({ serviceType }),
  scopeText({ serviceType: type }),
  ...(category ? [scopeText({ category })] : []),
  WHOLE_ORGANIZATION,
];
