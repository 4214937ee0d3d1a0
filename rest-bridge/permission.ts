import { type ConstDirectiveNode, type GraphQLField, Kind, parse, valueFromASTUntyped } from 'graphql';
import type { Permission, Principal } from '../kernel/access/principal.ts';

/** Returns the permissions that a field of the graph requires, the first one for its own area. An example of a `coordinate` is `Query.ticket`. */
export type PermissionOf = (coordinate: string, field: GraphQLField<unknown, unknown>) => string | readonly string[] | undefined;

/**
 * Reads the permission from the directive `@requiresScopes(scopes: [["support.read"]])`. A scope is a permission with a
 * dot instead of a colon.
 */
export const permissionOf: PermissionOf = (_, { astNode, extensions }) => {
  const stated = extensions.permission;
  return typeof stated === 'string' ? stated : allIn(astNode?.directives);
};

/**
 * Reads the permission of each field from the SDL of a supergraph: the first one, if a field requires several. Use it if the
 * public schema has no directives.
 */
export function permissionsIn(supergraphSdl: string): (coordinate: string) => string | undefined {
  const all = allPermissionsIn(supergraphSdl);
  return (coordinate) => all(coordinate)[0];
}

/** Reads all permissions of each field from the SDL of a supergraph. */
export function allPermissionsIn(supergraphSdl: string): (coordinate: string) => readonly string[] {
  const permissions = new Map<string, readonly string[]>();
  for (const definition of parse(supergraphSdl, { noLocation: true }).definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const { name, directives } of definition.fields ?? []) {
      permissions.set(`${definition.name.value}.${name.value}`, allIn(directives));
    }
  }
  return (coordinate) => permissions.get(coordinate) ?? [];
}

/**
 * Rejects a caller who may not use an operation, before the request is read. The graph makes the same checks again.
 * @throws CredentialsMissing (401) if the caller is not authenticated
 * @throws InsufficientPermissions, LimitedToAccounts or SecondFactorRequired (403) if the caller may not use it
 */
export function requireOperation({ permission, alsoRequired = [], isOrganizationWide, secondFactor }: Demand, principal: Principal): void {
  principal.requireAuthenticated();
  for (const one of [...(permission ? [permission] : []), ...alsoRequired]) principal.require(one as Permission);
  if (isOrganizationWide) principal.requireOrganization();
  if (secondFactor) principal.requireSecondFactor(permission);
}

interface Demand {
  permission: string | undefined;
  alsoRequired?: readonly string[];
  isOrganizationWide: boolean;
  secondFactor: boolean;
}

function allIn(directives: readonly ConstDirectiveNode[] | undefined): readonly string[] {
  const directive = directives?.find(({ name }) => name.value === 'requiresScopes');
  const scopes = directive?.arguments?.find(({ name }) => name.value === 'scopes')?.value;
  const [alternative] = scopes?.kind === Kind.LIST ? (valueFromASTUntyped(scopes) as string[][]) : [];
  return (alternative ?? []).map((scope) => scope.replace('.', ':'));
}

/** Reads the policies of all fields from the SDL of a supergraph, such as `@policy(policies: [["second_factor"]])`. */
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
