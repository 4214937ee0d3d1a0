import { readFileSync } from 'node:fs';
import {
  execute,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationTypeNode,
  parse,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  ACTIONS,
  AREAS,
  type Grant,
  isPlatformPermission,
  type Permission,
  PLATFORM_PERMISSIONS,
  Principal,
} from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { permissionsIn } from '../../rest-bridge/permission.ts';
import { pathParameters, type Route } from '../../rest-bridge/route.ts';
import { grantsOf } from '../../subgraphs/identity/granting/user-roles.ts';
import { UserRole } from '../../subgraphs/identity/user.states.ts';
import { operator } from '../operator.setup.ts';
import { rig } from '../rig.ts';
import { given } from '../support/literals.ts';
import { openapi, operationOf, routes, titled } from '../support/operations.ts';
import { arranged } from '../support/record-kinds.ts';
import { Records } from '../support/records.ts';
import { Tenant } from '../tenant.ts';

/**
 * All permissions that an operation may require. Platform permissions are listed separately because no wildcard
 * includes them.
 */
const STATED: readonly string[] = [...AREAS.flatMap((area) => ACTIONS.map((action) => `${area}:${action}`)), ...PLATFORM_PERMISSIONS];
const EVERY: Permission[] = AREAS.flatMap((area) => ACTIONS.map((action): Permission => `${area}:${action}`));
/**
 * The permissions that include this permission, as documented in docs/decisions/access.md: the permission itself,
 * `admin` of its area and, if its action is `create`, also `write` of its area.
 */
const givers = (permission: string): string[] => {
  const [area, action] = permission.split(':');
  return [permission, `${area}:admin`, ...(action === 'create' ? [`${area}:write`] : [])];
};
/** Root fields that require no permission, with the reason. */
const FREE: Readonly<Record<string, string>> = {
  'Mutation.login': 'creates credentials from an email address and a password',
  'Mutation.refreshSession': 'creates credentials from a refresh token',
  'Mutation.requestPasswordReset': 'for users without a password; the response reveals nothing about users',
  'Mutation.choosePassword': 'uses the link of an email',
  'Mutation.logout': "deletes the caller's own session",
  'Mutation.endSession': "deletes one of the caller's own sessions; sessions of others need credentials:admin",
  'Mutation.changePassword': "changes the caller's own password, which the request must contain",
  'Mutation.setupTotp': 'for the caller',
  'Mutation.setupSms': 'for the caller',
  'Mutation.setupEmail': 'for the caller',
  'Mutation.deleteMfaMethod': 'deletes a method of the caller',
  'Mutation.createBackupCodes': 'for the caller',
  'Mutation.createMfaChallenge': "for the caller's session",
  'Mutation.sendMfaCode': "for a challenge of the caller's session",
  'Mutation.verifyMfaChallenge': "for a challenge of the caller's session",
  'Query.mfaMethods': "lists the caller's methods; methods of others need credentials:admin",
  'Query.callerIdentity': 'returns the identity of the caller',
  'Query.event': 'returns only events of records that the caller may read',
  'Query.sessions': "lists the caller's sessions; sessions of others need credentials:admin",
};
const isFree = (route: Route): boolean => `Mutation.${route.field}` in FREE || `Query.${route.field}` in FREE;

const guarded = routes.filter(({ access }) => access !== 'public');
const permitted = guarded.filter((route) => !isFree(route));

let tenant: Tenant;
let records: Records;
const keys = new Map<string, Promise<Tenant>>();
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  records = new Records(tenant, 'Permissions');
});

/** Returns a key of the organization with every permission except the given permission. */
function without(permission: string): Promise<Tenant> {
  const known = keys.get(permission) ?? tenant.limitedTo(...EVERY.filter((one) => !givers(permission).includes(one)));
  keys.set(permission, known);
  return known;
}

/** The example body of a route, or undefined for GET routes. */
const exampleOf = ({ method, example }: Route) => (method === 'GET' ? undefined : example);

describe('required permissions of REST operations', () => {
  test.each(titled(permitted))(
    'a key without the required permission gets 403 even for a record that does not exist: %s',
    async (_, route) => {
      const required = operationOf(route)['x-permission'];
      expect(STATED).toContain(required);

      const path = await records.path(route.path, async () => 'none_01JQ8Z6V4T9M3N2B1C0D9E8F7G');
      const { status, body } = await (await without(required)).rest(route.method, path, { body: exampleOf(route) });
      expect(body).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required } } });
      expect(status).toBe(403);
    },
  );
});

describe('REST operations without credentials', () => {
  test.each(titled(guarded))('a request without credentials returns 401 INVALID_CREDENTIALS: %s', async (_, route) => {
    const anybody = new Tenant(tenant.origin, '', '');
    const options = { body: exampleOf(route), headers: { authorization: '' } };
    const { status, body } = await anybody.rest(route.method, await records.path(route.path, async () => 'none'), options);
    expect(body).toMatchObject({ error: { code: 'INVALID_CREDENTIALS' } });
    expect(status).toBe(401);
  });

  test('the OpenAPI document requires credentials for all operations except public operations', () => {
    expect(openapi.security.length).toBeGreaterThan(0);
    for (const route of routes) {
      const { security } = operationOf(route);
      expect(security?.length === 0, route.operationId).toBe(route.access === 'public');
    }
  });
});

describe('required permissions of GraphQL root fields', async () => {
  const sdl = readFileSync('schema/supergraph.graphql', 'utf8');
  const permissionOf = permissionsIn(sdl);
  const { schema } = (await rig()).assembly.router;
  const coordinates = parse(sdl).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !['Query', 'Mutation', 'Subscription'].includes(definition.name.value))
      return [];
    return (definition.fields ?? []).map(({ name }) => [definition.name.value, name.value] as const);
  });

  test.each(coordinates)(
    'the root field %s.%s returns INSUFFICIENT_PERMISSIONS to a caller without its declared permission',
    async (root, name) => {
      const field = schema.getRootType(root.toLowerCase() as OperationTypeNode)?.getFields()[name] as Field;
      const required = permissionOf(`${root}.${name}`);
      if (`${root}.${name}` in FREE) return;
      expect(STATED).toContain(required);

      const caller = await without(required as string);
      const operation = `${root.toLowerCase()} { ${name}${given(field)} ${isObjectType(getNamedType(field.type)) ? '{ __typename }' : ''} }`;
      const errors = root === 'Subscription' ? await refusalOf(caller, operation) : (await caller.graphql(operation)).errors;
      expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required } } }]);
    },
  );
});

type Field = GraphQLField<unknown, unknown>;

async function refusalOf(caller: Tenant, query: string): Promise<unknown> {
  const socket = caller.socket();
  try {
    const { value } = await socket.iterate({ query }).next();
    return value?.errors;
  } catch (errors) {
    return errors;
  } finally {
    await socket.dispose();
  }
}

const ROLES: Grant[] = [...new Set([...grantsOf(UserRole.MEMBER), ...grantsOf(UserRole.BILLING)])];

describe('sufficient permissions of REST operations', () => {
  test.each(titled(permitted))('a caller with only the documented permission can call %s', async (_, route) => {
    const required: Permission = operationOf(route)['x-permission'];
    const stated = exampleOf(route);
    const example = stated && (await records.body(stated));
    // a caller that grants permissions must have them
    const body = example?.permissions ? { ...example, permissions: [required] } : example;
    const idOf = (name: string) =>
      route.method === 'DELETE' && name === pathParameters(route.path).at(-1) ? records.fresh(name) : records.id(name);
    // a caller that creates or changes a webhook needs permission to read the records in its events
    const forWebhooks: Permission[] =
      body?.events || /rotate-secret|resume/.test(route.path) ? ['support:read', 'billing:read', 'services:read'] : [];
    // a caller that assigns or removes a role must have the permissions of the role
    const given = route.path.includes('/users') && route.method !== 'GET' ? ROLES : [];
    // a caller that creates or changes an OAuth client must have its scopes
    const forClients: Permission[] =
      route.path.includes('/oauth-clients') && route.method !== 'GET' ? ['services:read', 'monitoring:read'] : [];
    const also: Permission[] = operationOf(route)['x-also-required'] ?? [];
    const holder = isPlatformPermission(required) ? await operator() : tenant;
    const caller = await holder.limitedTo(required, ...also, ...forWebhooks, ...given, ...forClients);
    await arranged[route.operationId]?.(records);
    const response = await caller.rest(route.method, await records.path(route.path, idOf), { body });
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  });
});

describe('permissions of relations', async () => {
  const ENTITIES = {
    Account: 'accounts:read',
    Service: 'services:read',
    Invoice: 'billing:read',
    Ticket: 'support:read',
    Webhook: 'webhooks:read',
  } as const;
  const READERS = { account: 'account_id', service: 'service_id', invoice: 'invoice_id', ticket: 'ticket_id' } as const;
  const { schema } = (await rig()).assembly.router;
  const owns = (name: string): name is keyof typeof ENTITIES => name in ENTITIES;

  const relations = Object.entries(READERS).flatMap(([root, kind]) => {
    const type = getNamedType(schema.getQueryType()?.getFields()[root]?.type as Field['type']);
    if (!isObjectType(type) || !owns(type.name)) return [];
    const from = type.name;
    return Object.values(type.getFields()).flatMap((field) => {
      const to = getNamedType(field.type).name;
      return owns(to) && to !== from ? [[`${from}.${field.name}`, { root, kind, field: field.name, from, to }] as const] : [];
    });
  });

  test.each(relations)(
    'a relation to another area returns INSUFFICIENT_PERMISSIONS to a caller without the read permission of the other area: %s',
    async (_, { root, kind, field, from, to }) => {
      const query = `query ($id: ID!) { ${root}(id: $id) { id ${field} { createdAt } } }`;
      const variables = { id: await records.id(kind) };
      expect((await tenant.graphql(query, variables)).errors).toBeUndefined();

      const { data, errors } = await (await tenant.limitedTo(ENTITIES[from])).graphql(query, variables);
      expect(JSON.stringify(data ?? null)).not.toContain('createdAt');
      expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: ENTITIES[to] } } }]);
    },
  );
});

describe('permissions of entity references', async () => {
  const { domains } = (await rig()).assembly;
  const subgraphs = Object.values(domains).map(({ subgraph }) => subgraph);
  const entities = new Set(subgraphs.flatMap(({ schema }) => entitiesOf(schema)));

  test.each([...entities])(
    'resolving a reference to the entity %s without the permission returns INSUFFICIENT_PERMISSIONS from exactly one subgraph',
    async (entity) => {
      const caller = new Principal({ kind: 'api_key', id: 'key_none', organizationId: tenant.organizationId, plan: 'custom', grants: [] });
      const request = { requestId: 'req_none', principal: caller, log: createLogger({ level: 'silent' }) };
      const holders = subgraphs.filter(({ schema }) => entitiesOf(schema).includes(entity));
      const refusals = holders.map(async ({ schema, createContext }) => {
        const { errors = [] } = await execute({
          schema,
          document: parse('query ($of: [_Any!]!) { _entities(representations: $of) { __typename } }'),
          variableValues: { of: [{ __typename: entity, id: 'none', customerId: 'none' }] },
          contextValue: createContext(request),
        });
        return errors.map(({ extensions }) => extensions.code);
      });
      expect((await Promise.all(refusals)).flat()).toEqual(['INSUFFICIENT_PERMISSIONS']);
    },
  );

  function entitiesOf(schema: GraphQLSchema): string[] {
    const type = schema.getType('_Entity');
    return isUnionType(type) ? type.getTypes().map(({ name }) => name) : [];
  }
});
