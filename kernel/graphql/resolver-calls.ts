import type { GraphQLResolveInfo } from 'graphql';
import type { ClassType } from 'type-graphql';
import type { Principal } from '../access/principal.ts';
import { checkPermission, type Demand } from './requires.ts';
import { checkInputs } from './validate-input.ts';

/**
 * Calls resolvers directly instead of through type-graphql's wrappers. The wrappers build parameter lists for each
 * record, search all input types for each input field, and await six promises before the resolver. For a list of 50
 * records, the wrappers take 10 % of the time of the request. This function determines the parameters and input classes
 * only once.
 */
export function callDirectly(resolverMap: Record<string, Record<string, Resolve>>, resolvers: readonly ClassType[]): void {
  const { queries, mutations, fieldResolvers, objectTypes } = metadata();
  const replace = (type: string | undefined, field: Handler): void => {
    const fields = resolverMap[type ?? ''];
    if (fields?.[field.schemaName] && resolvers.includes(field.target)) fields[field.schemaName] = callOf(field);
  };
  for (const field of queries) replace('Query', field);
  for (const field of mutations) replace('Mutation', field);
  for (const field of fieldResolvers) {
    const type = field.kind === 'external' ? field.getObjectType?.() : undefined;
    if (type) replace(objectTypes.find(({ target }) => target === type)?.name, field);
  }
}

/**
 * Removes type-graphql's default resolvers, which only read the property with the name of the field. They cost a call
 * with all arguments for every field of every record. Fields whose property has another name, and fields with roles or
 * middlewares, keep their resolver.
 */
export function readPlainly(): void {
  for (const field of metadata().fields) field.simple ??= field.schemaName === field.name && !field.roles && !field.middlewares?.length;
}

/**
 * Sorts arguments by their position in the method. Decorators of parameters run from the last to the first, but the
 * schema must list arguments in the order of the method.
 */
export function orderArguments(): void {
  metadata().params.sort((one, other) => one.index - other.index);
}

type Arguments = Readonly<Record<string, unknown>>;
interface Call {
  root: unknown;
  args: Arguments;
  context: { principal: Principal };
  info: GraphQLResolveInfo;
}
type Resolve = (root: unknown, args: Arguments, context: Call['context'], info: GraphQLResolveInfo) => unknown;
type Read = (call: Call) => unknown;

function callOf({ target, methodName, params, roles }: Handler): Resolve {
  const instance = instanceOf(target);
  const method = instance[methodName] as (...values: unknown[]) => unknown;
  const ordered = params.toSorted((one, other) => one.index - other.index);
  const reads = ordered.map(readOf);
  const inputs = ordered.flatMap(({ kind }, index) => (kind === 'arg' || kind === 'args' ? [index] : []));
  return (root, args, context, info) => {
    const call = { root, args, context, info };
    if (roles && !checkPermission(call, roles)) return null;
    const values = reads.map((read) => read(call));
    if (inputs.length > 0)
      checkInputs(
        inputs.map((index) => values[index]),
        context,
      );
    return method.apply(instance, values);
  };
}

function readOf(parameter: Parameter): Read {
  switch (parameter.kind) {
    case 'arg': {
      const { name } = parameter;
      const convert = inputOf(parameter.getType());
      return convert ? ({ args }) => convert(args[name]) : ({ args }) => args[name];
    }
    case 'args': {
      const convert = inputOf(parameter.getType());
      return ({ args }) => convert?.(args);
    }
    case 'root': {
      const record = parameter.getType?.() as ClassType | undefined;
      // an object that another subgraph or a resolver has returned may not be an instance of the class
      return record ? ({ root }) => (root instanceof record ? root : Object.assign(new record() as object, root)) : ({ root }) => root;
    }
    case 'context':
      return ({ context }) => context;
    case 'info':
      return ({ info }) => info;
    case 'custom':
      return parameter.resolver;
    default:
      throw new Error(`A resolver has a parameter of the unknown kind ${parameter.kind}.`);
  }
}

type Convert = (value: unknown) => unknown;
const inputs = new Map<unknown, Convert>();

/**
 * Returns a function that converts an argument, and the inputs within it, to instances of their input classes.
 * Undefined if the type needs no conversion.
 */
function inputOf(type: unknown): Convert | undefined {
  const known = inputs.get(type);
  if (known || !inputTypes().some(({ target }) => target === type)) return known;
  const fields = fieldsOf(type);
  const { prototype } = type as ClassType;
  const defaults = Object.entries(new (type as ClassType)() as object).filter(([, value]) => value !== undefined);
  // determined on first use, because an input type may contain itself
  let conversions: (readonly [string, Convert | undefined])[] | undefined;
  const convert: Convert = (value) => {
    if (value === null || value === undefined) return value;
    if (Array.isArray(value)) return value.map(convert);
    conversions ??= fields.map(({ name, getType }) => [name, inputOf(getType())]);
    const input = Object.assign(Object.create(prototype as object), Object.fromEntries(defaults)) as Record<string, unknown>;
    for (const [name, convertField] of conversions) {
      const sent = (value as Arguments)[name];
      if (sent !== undefined) input[name] = convertField ? convertField(sent) : sent;
    }
    return input;
  };
  inputs.set(type, convert);
  return convert;
}

/** Returns the fields of an input class and of the classes that it extends. */
function fieldsOf(type: unknown): InputField[] {
  if (typeof type !== 'function') return [];
  const own = inputTypes().find(({ target }) => target === type)?.fields ?? [];
  const inherited = fieldsOf(Object.getPrototypeOf(type)).filter(({ name }) => !own.some((field) => field.name === name));
  return [...own, ...inherited];
}

/**
 * Returns the metadata of all classes for input objects (`@InputType`) and for the arguments of a field (`@ArgsType`).
 */
const inputTypes = () => [...metadata().inputTypes, ...metadata().argumentTypes];

const instances = new Map<unknown, Record<string, unknown>>();

function instanceOf(target: ClassType): Record<string, unknown> {
  const instance = instances.get(target) ?? (new target() as Record<string, unknown>);
  instances.set(target, instance);
  return instance;
}

const metadata = (): Metadata => (globalThis as unknown as { TypeGraphQLMetadataStorage: Metadata }).TypeGraphQLMetadataStorage;

/** The metadata that type-graphql's decorators have stored. */
interface Metadata {
  params: { index: number }[];
  fields: FieldMetadata[];
  inputTypes: InputType[];
  argumentTypes: InputType[];
  objectTypes: { name: string; target: unknown }[];
  queries: Handler[];
  mutations: Handler[];
  fieldResolvers: (Handler & { kind: string; getObjectType?: () => unknown })[];
}

interface InputType {
  target: unknown;
  fields: InputField[];
}

interface InputField {
  name: string;
  getType(): unknown;
}

interface Handler {
  target: ClassType;
  methodName: string;
  schemaName: string;
  params: readonly Parameter[];
  roles?: Demand[];
  middlewares?: readonly unknown[];
}

type Parameter = { index: number } & (
  | { kind: 'arg'; name: string; getType(): unknown }
  | { kind: 'args'; getType(): unknown }
  | { kind: 'root'; getType?(): unknown }
  | { kind: 'context' | 'info' }
  | { kind: 'custom'; resolver: Read }
  | { kind: 'pubSub' }
);

interface FieldMetadata {
  name: string;
  schemaName: string;
  simple?: boolean;
  roles?: readonly unknown[];
  middlewares?: readonly unknown[];
}
