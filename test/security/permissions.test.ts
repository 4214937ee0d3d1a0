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

/** Platform permissions, which no wildcard includes, are listed separately. */
const STATED: readonly string[] = [...AREAS.flatMap((area) => ACTIONS.map((action) => `${area}:${action}`)), ...PLATFORM_PERMISSIONS];
const EVERY: Permission[] = AREAS.flatMap((area) => ACTIONS.map((action): Permission => `${area}:${action}`));
/** The permissions that include one, according to docs/decisions/access.md: itself, admin of its area, and write for create. */
const givers = (permission: string): string[] => {
  const [area, action] = permission.split(':');
  return [permission, `${area}:admin`, ...(action === 'create' ? [`${area}:write`] : [])];
};
/** Root fields that require no permission, with the reason. */
const FREE: Readonly<Record<string, string>> = {
  'Mutation.login': 'makes credentials of an address and a password',
  'Mutation.refreshSession': 'makes credentials of a refresh token',
  'Mutation.requestPasswordReset': 'for who has lost theirs; answers nothing about anybody',
  'Mutation.choosePassword': 'by the link of a mail',
  'Mutation.logout': "ends the caller's own session",
  'Mutation.endSession': "ends one of the caller's own sessions; of others it asks for credentials:admin",
  'Mutation.changePassword': "the caller's own, which they must know",
  'Mutation.setupTotp': "the caller's own",
  'Mutation.setupSms': "the caller's own",
  'Mutation.setupEmail': "the caller's own",
  'Mutation.deleteMfaMethod': "one of the caller's own",
  'Mutation.createBackupCodes': "the caller's own",
  'Mutation.createMfaChallenge': "of the caller's own session",
  'Mutation.sendMfaCode': "for a challenge of the caller's own session",
  'Mutation.verifyMfaChallenge': "a challenge of the caller's own session",
  'Query.mfaMethods': "the caller's own; of others it asks for credentials:admin",
  'Query.callerIdentity': 'who the caller is',
  'Query.event': 'one whose record the caller may read; others read as absent',
  'Query.sessions': "the caller's own; of others it asks for credentials:admin",
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

/** A key of the organization with every permission but this one. */
function without(permission: string): Promise<Tenant> {
  const known = keys.get(permission) ?? tenant.limitedTo(...EVERY.filter((one) => !givers(permission).includes(one)));
  keys.set(permission, known);
  return known;
}

/** The body of a request; a GET is sent without one, also where it may have one. */
const exampleOf = ({ method, example }: Route) => (method === 'GET' ? undefined : example);

describe('required permissions of REST operations', () => {
  test.each(titled(permitted))('a key without the permission is refused before any record is read: %s', async (_, route) => {
    const required = operationOf(route)['x-permission'];
    expect(STATED).toContain(required);

    const path = await records.path(route.path, async () => 'none_01JQ8Z6V4T9M3N2B1C0D9E8F7G');
    const { status, body } = await (await without(required)).rest(route.method, path, { body: exampleOf(route) });
    expect(body).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required } } });
    expect(status).toBe(403);
  });
});

describe('REST operations without credentials', () => {
  test.each(titled(guarded))('a request without credentials is refused: %s', async (_, route) => {
    const anybody = new Tenant(tenant.origin, '', '');
    const options = { body: exampleOf(route), headers: { authorization: '' } };
    const { status, body } = await anybody.rest(route.method, await records.path(route.path, async () => 'none'), options);
    expect(body).toMatchObject({ error: { code: 'INVALID_CREDENTIALS' } });
    expect(status).toBe(401);
  });

  test('the OpenAPI document requires credentials for exactly the operations that need them', () => {
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

  test.each(coordinates)('the root field %s.%s states a permission and refuses callers without it', async (root, name) => {
    const field = schema.getRootType(root.toLowerCase() as OperationTypeNode)?.getFields()[name] as Field;
    const required = permissionOf(`${root}.${name}`);
    if (`${root}.${name}` in FREE) return;
    expect(STATED).toContain(required);

    const caller = await without(required as string);
    const operation = `${root.toLowerCase()} { ${name}${given(field)} ${isObjectType(getNamedType(field.type)) ? '{ __typename }' : ''} }`;
    const errors = root === 'Subscription' ? await refusalOf(caller, operation) : (await caller.graphql(operation)).errors;
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required } } }]);
  });
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
  test.each(titled(permitted))('the stated permission is enough to call %s', async (_, route) => {
    const required: Permission = operationOf(route)['x-permission'];
    const stated = exampleOf(route);
    const example = stated && (await records.body(stated));
    // whoever grants permissions must have them
    const body = example?.permissions ? { ...example, permissions: [required] } : example;
    const idOf = (name: string) =>
      route.method === 'DELETE' && name === pathParameters(route.path).at(-1) ? records.fresh(name) : records.id(name);
    // whoever creates or changes a webhook must be allowed to read what it sends
    const told: Permission[] =
      body?.events || /rotate-secret|resume/.test(route.path) ? ['support:read', 'billing:read', 'services:read'] : [];
    // whoever assigns or removes a role must have its permissions
    const given = route.path.includes('/users') && route.method !== 'GET' ? ROLES : [];
    // whoever creates or changes an OAuth client must have its scopes
    const asked: Permission[] = route.path.includes('/oauth-clients') && route.method !== 'GET' ? ['services:read', 'monitoring:read'] : [];
    const holder = isPlatformPermission(required) ? await operator() : tenant;
    const caller = await holder.limitedTo(required, ...told, ...given, ...asked);
    await arranged[route.operationId]?.(records);
    const answer = await caller.rest(route.method, await records.path(route.path, idOf), { body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
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
    'a relation to another area shows nothing that the caller may not read there: %s',
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

  test.each([...entities])('an entity reference requires the permission in the subgraph that stores the record: %s', async (entity) => {
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
  });

  function entitiesOf(schema: GraphQLSchema): string[] {
    const type = schema.getType('_Entity');
    return isUnionType(type) ? type.getTypes().map(({ name }) => name) : [];
  }
});
