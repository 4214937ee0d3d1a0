import { type GraphQLField, type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { clock } from '../rig.ts';

/** The required arguments of a field as a GraphQL literal: the values in `own`, otherwise valid dummy values. */
export function given(
  { args }: GraphQLField<unknown, unknown>,
  own: (type: GraphQLInputType, name: string) => string | undefined = () => undefined,
): string {
  const needed = args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
  return needed.length === 0 ? '' : `(${needed.map(({ name, type }) => `${name}: ${own(type, name) ?? literal(type, name)}`).join(', ')})`;
}

const BY_TYPE: Readonly<Record<string, string>> = {
  Int: '1',
  Float: '1',
  Boolean: 'true',
  JSONObject: '{}',
  ScalingInput: '{ scalingAction: SCALE_UP, newBandwidth: "10gbps" }',
  Decimal: '1',
  DateTime: '"2030-01-01T00:00:00Z"',
  NotificationRecipientInput: '{ email: "nobody@example.com" }',
};
const BY_NAME: Readonly<Record<string, () => string>> = {
  currency: () => '"USD"',
  email: () => '"nobody@example.com"',
  features: () => '[]',
  permissions: () => '["services:read"]',
  // relative to the platform's clock, which other test files can have advanced by months
  since: () => JSON.stringify(new Date(clock.now().getTime() - 3_600_000)),
};

/** A valid dummy value of an input type as a GraphQL literal. */
export function literal(type: GraphQLInputType, name = ''): string {
  if (BY_NAME[name]) return BY_NAME[name]();
  if (isNonNullType(type)) return literal(type.ofType, name);
  if (isListType(type)) return `[${literal(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (BY_TYPE[type.name] || !isInputObjectType(type)) return BY_TYPE[type.name] ?? '"none"';
  const fields = Object.values(type.getFields());
  const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
  const needed = type.isOneOf ? fields.slice(0, 1) : required;
  return `{ ${needed.map((field) => `${field.name}: ${literal(field.type, field.name)}`).join(', ')} }`;
}
