import { buildSubgraphSchema } from '@apollo/subgraph';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import {
  buildASTSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import type { Router } from '../../../router/router.ts';
import { composeSupergraph, type SubgraphSource } from '../../../router/supergraph.ts';
import { caller, localRouter } from '../fixtures/rig.ts';
import { hashOf } from './random.ts';

/** A stub object. Its type and id determine all its values. */
interface Stub {
  __typename: string;
  $id: string;
}

/** The percentage of fields that throw an error, and the percentage that return null, even if the type of the field is non-null. */
export interface Trouble {
  errors: number;
  nulls: number;
}

/** A supergraph over stub subgraphs, and one undivided schema. Every field has the same value in both. */
export interface World {
  schema: GraphQLSchema;
  trouble: Trouble;
  ours(document: string, variables: Record<string, unknown>): Promise<ExecutionResult>;
  expected(document: DocumentNode, variables: Record<string, unknown>): ExecutionResult;
  router: Router;
}

/** Number of objects per entity type. It is small, so that an entity appears in several places of a response. */
const ENTITIES = 4;
const KEY = '~';

export async function createWorld(subgraphs: readonly SubgraphSource[], seed: string): Promise<World> {
  const supergraphSdl = composeSupergraph(subgraphs);
  const schema = buildASTSchema(transformSupergraphToPublicSchema(parse(supergraphSdl)), { assumeValid: true, assumeValidSDL: true });
  const stubs = new Stubs(keysIn(subgraphs), requiredIn(subgraphs), schema, seed);
  const router = await localRouter(
    subgraphs.map(({ name, sdl }) => ({ name, sdl, schema: stubs.subgraph(sdl), createContext: () => ({}) })),
    {
      supergraphSdl,
      limits: { cost: Number.MAX_SAFE_INTEGER, fields: 5_000, depth: 50, aliases: 5_000, rootFields: 5_000, spreads: 100_000 },
      errors: { passForeignErrors: true },
    },
  );
  const context = caller();
  return {
    schema,
    router,
    trouble: stubs.trouble,
    ours: (document, variables) => router.execute({ document, variables, context }),
    expected: (document, variableValues) =>
      execute({
        schema,
        document,
        variableValues,
        fieldResolver: stubs.resolve,
        typeResolver: (value) => (value as Stub).__typename,
      }) as ExecutionResult,
  };
}

class Stubs {
  readonly trouble: Trouble = { errors: 0, nulls: 0 };

  constructor(
    private readonly keys: ReadonlyMap<string, ReadonlySet<string>>,
    private readonly required: ReadonlySet<string>,
    private readonly schema: GraphQLSchema,
    private readonly seed: string,
  ) {}

  /** A subgraph's schema in which `resolve` resolves every field. */
  subgraph(sdl: string): GraphQLSchema {
    const built = buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: {} }]);
    for (const type of Object.values(built.getTypeMap())) {
      if (isAbstractType(type) && type.name !== '_Entity') type.resolveType = (value) => (value as Stub).__typename;
      if (!(isObjectType(type) || isInterfaceType(type)) || type.name.startsWith('_')) continue;
      Object.assign(type.extensions, { apollo: { subgraph: { resolveReference: (reference: Stub) => this.#refer(reference, built) } } });
      if (isInterfaceType(type)) continue;
      for (const field of Object.values(type.getFields())) if (!field.name.startsWith('_')) field.resolve = this.resolve;
    }
    return built;
  }

  readonly resolve: GraphQLFieldResolver<Stub | undefined, unknown> = (source, args, _, info) => {
    const { parentType, fieldName } = info;
    const owner = source?.$id ?? '';
    if (this.keys.get(parentType.name)?.has(fieldName)) return fieldName + KEY + owner;
    // an interface object resolves fields of its entities under the name of another type
    const type = this.keys.has(parentType.name) ? 'entity' : parentType.name;
    const place = `${this.seed} ${type} ${owner} ${fieldName} ${JSON.stringify(args, sorted)}`;
    const number = hashOf(place);
    const { errors, nulls } = this.trouble;
    // required fields never fail: the undivided schema has no @requires, so a failure would have other effects there
    const trouble = this.required.has(fieldName) ? 100 : hashOf(`trouble ${place}`) % 100;
    if (trouble < errors) throw new Error(`${parentType.name}.${fieldName} fails`);
    if (trouble < errors + nulls) return null;
    return this.#value(info.returnType, number, info);
  };

  /** The stub of an entity reference. `{ customerId: "customerId~2" }` refers to the entity with id 2. */
  #refer(reference: Stub, schema: GraphQLSchema): Stub {
    const keys = this.keys.get(reference.__typename) ?? new Set();
    const sent = Object.entries(reference).find(([name, value]) => keys.has(name) && typeof value === 'string');
    const $id = String(sent?.[1]).split(KEY)[1] ?? '';
    const isInterface = isInterfaceType(schema.getType(reference.__typename));
    return { ...reference, $id, __typename: isInterface ? this.#typeOf(reference.__typename, Number($id)) : reference.__typename };
  }

  #value(type: GraphQLOutputType, number: number, info: GraphQLResolveInfo): unknown {
    if (isNonNullType(type)) return this.#value(type.ofType, number, info);
    if (isListType(type))
      return Array.from({ length: number % 4 }, (_, index) => this.#value(type.ofType, hashOf(`${number} ${index}`), info));
    const named = getNamedType(type);
    if (isEnumType(named)) return named.getValues()[number % named.getValues().length]?.name;
    if (isObjectType(named)) return this.#stub(named.name, number);
    if (isAbstractType(named)) {
      // the type of an entity is computed from its id, because an interface object has no other information
      const isEntity = this.keys.has(named.name);
      return this.#stub(this.#typeOf(named.name, isEntity ? number % ENTITIES : number), isEntity ? number : number >>> 4);
    }
    switch (named.name) {
      case 'Int':
        return number % 1_000;
      case 'Float':
        return (number % 1_000) / 8;
      case 'Boolean':
        return number % 2 === 0;
      default:
        return `${named.name} ${number % 1_000}`;
    }
  }

  #typeOf(abstract: string, number: number): string {
    const declared = this.schema.getType(abstract);
    const names = (isAbstractType(declared) ? this.schema.getPossibleTypes(declared) : []).map(({ name }) => name).sort();
    return names[number % names.length] ?? '';
  }

  #stub(typename: string, number: number): Stub {
    return { __typename: typename, $id: String(this.keys.has(typename) ? number % ENTITIES : number) };
  }
}

/** The key fields of each entity type in any of the subgraphs. */
function keysIn(subgraphs: readonly SubgraphSource[]): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  for (const { sdl } of subgraphs) {
    for (const [, name = '', directives = ''] of sdl.matchAll(/\b(?:type|interface) (\w+)([^{]*)\{/g)) {
      for (const [, fields = ''] of directives.matchAll(/@key\(fields: "([^"]+)"/g)) {
        const known = keys.get(name) ?? new Set();
        for (const field of fields.split(' ')) known.add(field);
        keys.set(name, known);
      }
    }
  }
  return keys;
}

/** The names of all fields in `@requires`. */
function requiredIn(subgraphs: readonly SubgraphSource[]): Set<string> {
  const all = subgraphs.flatMap(({ sdl }) => [...sdl.matchAll(/@requires\(fields: "([^"]+)"/g)]);
  return new Set(all.flatMap(([, fields = '']) => fields.split(' ')));
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
