import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { Problems } from '../kernel/errors/problems.ts';
import { UNSTORABLE, unstorableIn } from '../kernel/values/text.ts';
import type { Variables } from './transport.ts';

/**
 * Maximum number of fields in an input object. No valid input object has this many fields. A larger object is rejected
 * without being read.
 */
const MAX_FIELDS = 100;
const MAX_ITEMS = 1000;

/**
 * Compiles the validation of an operation's variables. It reports the problems of all variables together, in the order
 * in which the operation declares them. Messages do not repeat values, because a value may be a secret or a large file.
 * Subgraphs in other processes validate their custom scalars themselves.
 */
export function compileVariableCheck(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): (variables: Variables) => Problems {
  const types = variableDefinitions.flatMap(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node as never);
    return type && isInputType(type) ? [{ name: variable.name.value, type, hasDefault: defaultValue !== undefined }] : [];
  });
  return (variables) => {
    const problems = new Problems();
    for (const { name, type, hasDefault } of types) {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (value !== undefined) check(value, type, name, problems);
      else if (isNonNullType(type) && !hasDefault) problems.add({ field: name, reason: 'is required' });
    }
    // values that cannot be stored, such as 1e999, are checked last, because messages about types explain more
    const unstorable = problems.total === 0 ? unstorableIn(variables) : undefined;
    if (unstorable !== undefined) problems.add({ field: unstorable, reason: UNSTORABLE });
    return problems;
  };
}

function check(value: unknown, type: GraphQLInputType, at: string, problems: Problems): void {
  if (value === null || value === undefined) {
    if (isNonNullType(type)) problems.add({ field: at, reason: 'must not be null' });
    return;
  }
  const inner = getNullableType(type);
  if (isListType(inner)) checkList(value, inner.ofType, at, problems);
  else if (isInputObjectType(inner)) checkObject(value, inner.getFields(), at, problems);
  else if (isEnumType(inner)) {
    if (typeof value === 'string' && inner.getValue(value)) return;
    const names = inner.getValues().map(({ name }) => name);
    problems.add({ field: at, reason: `must be one of ${names.join(', ')}` });
  } else checkScalar(value, inner.parseValue.bind(inner), at, problems);
}

/** Validates a list. As in GraphQL, a single value is accepted as a list with one item. */
function checkList(value: unknown, item: GraphQLInputType, at: string, problems: Problems): void {
  if (!Array.isArray(value)) check(value, item, at, problems);
  else if (value.length > MAX_ITEMS) problems.add({ field: at, reason: `has ${value.length} items, at most ${MAX_ITEMS} are accepted` });
  else for (const [index, entry] of value.entries()) check(entry, item, `${at}.${index}`, problems);
}

type InputFields = ReturnType<Extract<GraphQLInputType, { getFields: unknown }>['getFields']>;

function checkObject(value: unknown, fields: InputFields, at: string, problems: Problems): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.add({ field: at, reason: 'must be an object' });
    return;
  }
  const sent = Object.keys(value);
  if (sent.length > MAX_FIELDS) {
    problems.add({ field: at, reason: `has ${sent.length} fields, at most ${MAX_FIELDS} are accepted` });
    return;
  }
  for (const name of sent) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field) check((value as Variables)[name], field.type, `${at}.${name}`, problems);
    else problems.add({ field: `${at}.${name}`, reason: 'is not a known field' });
  }
  for (const [name, field] of Object.entries(fields))
    if (isRequiredInputField(field) && !Object.hasOwn(value, name)) problems.add({ field: `${at}.${name}`, reason: 'is required' });
}

function checkScalar(value: unknown, parse: (value: unknown) => unknown, at: string, problems: Problems): void {
  try {
    parse(value);
  } catch (error) {
    const words = error instanceof Error ? error.message : 'is not valid';
    // removes the value from the end of the message, because the value may be a secret
    problems.add({ field: at, reason: words.replace(/( cannot represent [^:]*): .*$/s, '$1') });
  }
}
