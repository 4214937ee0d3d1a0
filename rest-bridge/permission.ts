import { type ConstDirectiveNode, type GraphQLField, Kind, parse, valueFromASTUntyped } from 'graphql';
import type { Permission, Principal } from '../kernel/access/principal.ts';

/** Returns the permission that a field of the graph requires. `coordinate` is like `Query.ticket`. */
export type PermissionOf = (coordinate: string, field: GraphQLField<unknown, unknown>) => string | undefined;

/** Reads it from `@requiresScopes(scopes: [["support.read"]])`, which the subgraph states. A scope is a permission in dot form. */
export const permissionOf: PermissionOf = (_, { astNode, extensions }) => {
  const stated = extensions.permission;
  return typeof stated === 'string' ? stated : permissionIn(astNode?.directives);
};

/** Reads the same from the SDL of a supergraph, for a public schema without directives. */
export function permissionsIn(supergraphSdl: string): (coordinate: string) => string | undefined {
  const permissions = new Map<string, string>();
  for (const definition of parse(supergraphSdl, { noLocation: true }).definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const { name, directives } of definition.fields ?? []) {
      const permission = permissionIn(directives);
      if (permission) permissions.set(`${definition.name.value}.${name.value}`, permission);
    }
  }
  return (coordinate) => permissions.get(coordinate);
}

/**
 * Refuses a caller who may not use an operation, before the request is read. The graph checks the same again.
 * @throws CredentialsMissing (401), InsufficientPermissions, LimitedToAccounts or SecondFactorRequired (403)
 */
export function requireOperation({ permission, isOrganizationWide, secondFactor }: Demand, principal: Principal): void {
  principal.requireAuthenticated();
  if (permission) principal.require(permission as Permission);
  if (isOrganizationWide) principal.requireOrganization();
  if (secondFactor) principal.requireSecondFactor(permission);
}

interface Demand {
  permission: string | undefined;
  isOrganizationWide: boolean;
  secondFactor: boolean;
}

function permissionIn(directives: readonly ConstDirectiveNode[] | undefined): string | undefined {
  const directive = directives?.find(({ name }) => name.value === 'requiresScopes');
  const scopes = directive?.arguments?.find(({ name }) => name.value === 'scopes')?.value;
  const [alternative] = scopes?.kind === Kind.LIST ? (valueFromASTUntyped(scopes) as string[][]) : [];
  return alternative?.[0]?.replace('.', ':');
}

/** Reads the fields with a policy, such as `@policy(policies: [["second_factor"]])`, from the SDL of a supergraph. */
export function policiesIn(supergraphSdl: string): (coordinate: string, policy: 'second_factor' | 'organization') => boolean {
  const asking = new Set<string>();
  for (const definition of parse(supergraphSdl, { noLocation: true }).definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const { name, directives } of definition.fields ?? []) {
      const policies = directives?.find((directive) => directive.name.value === 'policy')?.arguments?.[0]?.value;
      const names = policies ? (valueFromASTUntyped(policies) as string[][]).flat() : [];
      for (const policy of names) asking.add(`${definition.name.value}.${name.value} ${policy}`);
    }
  }
  return (coordinate, policy) => asking.has(`${coordinate} ${policy}`);
}
