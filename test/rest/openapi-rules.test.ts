import { beforeAll, describe, expect, test } from 'vitest';
import { inputClasses, rulesIn, schemaOfRule } from '../../kernel/graphql/json-schema.ts';
import { rig } from '../rig.ts';
import { openapi, operationOf, resolved, routes } from '../support/operations.ts';
import type { Json } from '../tenant.ts';

/** Validators that JSON Schema cannot express or that the schema states elsewhere, with the reason. */
const NOT_STATED: Readonly<Record<string, string>> = {
  conditionalValidation: 'IsOptional and ValidateIf allow null or absence; `required` says what must be sent',
  nestedValidation: 'the schema of the nested input object is referred to',
  isDefined: 'the type of the field does not allow null',
  isEnum: 'the type of the field is an enum',
  isNotIn: 'the format is a currency code; the description says that metals and units of account are refused',
  needsQuote: 'the schema of a field cannot require another field; the description names it',
  maxJson: 'JSON Schema has no limit for the size of a free-form object; the description states it',
};

/** JSON Schema keywords that limit values. */
const KEYWORDS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems', 'pattern', 'enum', 'format'];

beforeAll(async () => {
  // starting the platform loads all input classes
  await rig();
});

describe('validation rules of input classes', () => {
  test('every validation rule of an input class is stated as JSON Schema or listed as an exception', () => {
    const rules = inputClasses().flatMap(({ name, target }) =>
      rulesIn(target).map((rule) => ({ at: `${name}.${rule.propertyName}`, kind: rule.name ?? rule.type, type: rule.type, rule })),
    );
    expect(rules.length).toBeGreaterThan(400);
    const silent = rules.filter(({ rule, kind, type }) => !schemaOfRule(rule) && !NOT_STATED[kind] && !NOT_STATED[type]);
    expect(silent.map(({ at, kind }) => `${at}: ${kind}`)).toEqual([]);
  });

  test('every input class has a unique name in the GraphQL schema', () => {
    const names = inputClasses().map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('validation rules appear in the OpenAPI schemas of bodies, nested objects and query parameters', () => {
    const body = operationOf(routeOf('createTicket')).requestBody.content['application/json'].schema.properties;
    expect(body.title).toMatchObject({ minLength: 1, maxLength: 255 });
    expect(body.category.enum).toContain('connectivity');
    expect(body.attachments).toMatchObject({ maxItems: 10 });
    expect(resolved(body.contact.oneOf[0]).properties.email).toMatchObject({ format: 'email', maxLength: 320 });
    expect(parameterOf('listTickets', 'per_page').schema).toMatchObject({ minimum: 1, maximum: 200 });
    expect(parameterOf('searchKnowledgeBase', 'tag').schema.items).toHaveProperty('pattern');
    expect(parameterOf('getSupportDashboard', 'timezone').schema).toMatchObject({ format: 'time-zone' });
  });
});

describe('ids in the OpenAPI document', () => {
  const ULID = '[0-9A-HJKMNP-TV-Z]{26}';

  test('the OpenAPI pattern of an id is a prefix for its type and 26 characters, in parameters, bodies and responses', () => {
    const body = operationOf(routeOf('createInvoice')).requestBody.content['application/json'].schema.properties;
    expect(parameterOf('getTicket', 'ticket_id').schema.pattern).toBe(`^ticket_${ULID}$`);
    expect(parameterOf('listInvoices', 'account_id').schema.items.pattern).toBe(`^acc_${ULID}$`);
    expect(body.account_id.pattern).toBe(`^acc_${ULID}$`);
    expect(openapi.components.schemas.Invoice.properties.id.pattern).toBe(`^inv_${ULID}$`);
  });

  test('every id in a path has a pattern in the OpenAPI document', () => {
    const free = ['category', 'domain'];
    const without = routes.flatMap((route) =>
      (operationOf(route).parameters as Json[])
        .filter(
          (parameter) => parameter.in === 'path' && !parameter.schema.pattern && !parameter.schema.enum && !free.includes(parameter.name),
        )
        .map(({ name }) => `${route.operationId} ${name}`),
    );
    expect(without.filter((one) => !one.endsWith('.$ref'))).toEqual([]);
  });
});

test('every pattern in the OpenAPI document is a valid regular expression, and every minimum and maximum is a number', () => {
  const limits = [...limitsIn(openapi)];
  expect(limits.length).toBeGreaterThan(900);
  for (const { keyword, value } of limits) {
    if (keyword === 'pattern') expect(() => new RegExp(value as string, 'u'), String(value)).not.toThrow();
    if (/^m(in|ax)/.test(keyword)) expect(value).toBeTypeOf('number');
  }
});

function* limitsIn(node: Json): Generator<{ keyword: string; value: unknown }> {
  if (typeof node !== 'object' || node === null) return;
  for (const [keyword, value] of Object.entries(node)) {
    if (KEYWORDS.includes(keyword) && typeof value !== 'object') yield { keyword, value };
    else if (keyword !== 'example' && keyword !== 'examples') yield* limitsIn(value);
  }
}

const routeOf = (operationId: string) => {
  const route = routes.find((one) => one.operationId === operationId);
  if (!route) throw new Error(`There is no operation ${operationId}.`);
  return route;
};

const parameterOf = (operationId: string, name: string): Json => {
  const found = (operationOf(routeOf(operationId)).parameters as Json[]).find((parameter) => resolved(parameter).name === name);
  if (!found) throw new Error(`${operationId} has no parameter ${name}.`);
  return resolved(found);
};
