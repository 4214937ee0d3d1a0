import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type DocumentNode,
  execute,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import type { FieldProblem } from '../errors/errors.ts';
import { Problems } from '../errors/problems.ts';
import type { RequestContext } from '../request.ts';

/**
 * Returns the problems that the rules of the input classes find in `args`, without running the resolver. It is used for
 * a request in which some values are missing or have the wrong type: `args` contains the other values, so that one
 * response can list all problems.
 */
export type InputProblems = (
  kind: 'query' | 'mutation',
  field: string,
  args: Readonly<Record<string, unknown>>,
  request: RequestContext,
) => Promise<readonly FieldProblem[]>;

/** Key of the context property that holds the collected problems during validation. */
const FOUND = Symbol('found');

/** Returns the collector of problems if the operation is only validated; undefined during a normal request. */
export const foundIn = (context: unknown): Problems | undefined =>
  typeof context === 'object' && context !== null ? (context as { [FOUND]?: Problems })[FOUND] : undefined;

/** Thrown to stop the execution after the arguments are validated, so that the resolver does not run. */
export class Checked extends Error {}

export function compileInputProblems(schema: GraphQLSchema, createContext: (request: RequestContext) => object): InputProblems {
  // created on first use, because valid requests do not need it
  let lenient: GraphQLSchema | undefined;
  const documents = new Map<string, DocumentNode>();
  return async (kind, field, args, request) => {
    lenient ??= withoutRequired(schema);
    const key = `${kind} ${field}`;
    const document = documents.get(key) ?? documentOf(lenient, kind, field);
    documents.set(key, document);
    const found = new Problems();
    const contextValue = Object.assign(createContext(request), { [FOUND]: found });
    await execute({ schema: lenient, document, variableValues: args, contextValue });
    return found.listed;
  };
}

/** Makes every argument and input field of the schema optional. */
const withoutRequired = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.INPUT_OBJECT_FIELD]: (field) => ({ ...field, type: optional(field.type) }),
    [MapperKind.ARGUMENT]: (argument) => ({ ...argument, type: optional(argument.type) }),
  });

function optional(type: GraphQLInputType): GraphQLInputType {
  if (isNonNullType(type)) return optional(type.ofType);
  return isListType(type) ? new GraphQLList(optional(type.ofType)) : type;
}

function documentOf(schema: GraphQLSchema, kind: 'query' | 'mutation', name: string): DocumentNode {
  const field = (kind === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[name];
  if (!field || field.args.length === 0) throw new Error(`There is no ${kind} ${name} with arguments.`);
  const variables = field.args.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ');
  const passed = field.args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const selection = isObjectType(getNamedType(field.type)) ? ' { __typename }' : '';
  return parse(`${kind} (${variables}) { ${name}(${passed})${selection} }`, { noLocation: true });
}
