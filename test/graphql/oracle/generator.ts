import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { hashOf, Random } from './random.ts';

export interface Operation {
  document: string;
  variables: Record<string, unknown>;
}

const MAX_DEPTH = 5;
const MAX_FIELDS = 40;

/** Generates a random operation. It is valid, except that two different fields can have the same response key. */
export const generate = (schema: GraphQLSchema, seed: number): Operation => new Generator(schema, new Random(seed)).operation();

/** Possible fragment types by enclosing type. Cached, because every operation needs them. */
const conditions = new WeakMap<GraphQLCompositeType, GraphQLCompositeType[]>();

class Generator {
  readonly #variables: string[] = [];
  readonly #values: Record<string, unknown> = {};
  readonly #conditions: string[] = [];
  readonly #fragments: { name: string; type: GraphQLCompositeType; text: string }[] = [];
  #fields = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly random: Random,
  ) {}

  operation(): Operation {
    const { random } = this;
    for (let count = random.below(4); count > 0; count -= 1) this.#condition();
    const isMutation = this.schema.getMutationType() && random.chance(10);
    const root = isMutation ? this.schema.getMutationType() : this.schema.getQueryType();
    const selection = this.#selection(root as GraphQLObjectType, 0);
    const variables = this.#variables.length > 0 ? `(${this.#variables.join(', ')})` : '';
    const fragments = this.#fragments.map(({ name, type, text }) => `fragment ${name} on ${type.name} ${text}`);
    return {
      document: [`${isMutation ? 'mutation' : 'query'} Q${variables} ${selection}`, ...fragments].join('\n'),
      variables: this.#values,
    };
  }

  /** Adds a Boolean variable for @skip and @include. A variable with a default value is sent only sometimes. */
  #condition(): void {
    const { random } = this;
    const name = `c${this.#conditions.length}`;
    this.#conditions.push(`$${name}`);
    const type = random.pick(['Boolean!', 'Boolean! = true', 'Boolean! = false', 'Boolean = true', 'Boolean = false']);
    this.#variables.push(`$${name}: ${type}`);
    if (type === 'Boolean!' || random.chance(50)) this.#values[name] = random.chance(50);
  }

  #selection(type: GraphQLCompositeType, depth: number): string {
    const parts: string[] = [];
    const chosen: GraphQLField<unknown, unknown>[] = [];
    for (let count = 1 + this.random.below(5); count > 0; count -= 1) parts.push(this.#part(type, depth, chosen));
    return `{ ${parts.join(' ')} }`;
  }

  #part(type: GraphQLCompositeType, depth: number, chosen: GraphQLField<unknown, unknown>[]): string {
    const { random } = this;
    if (depth < MAX_DEPTH && random.chance(22)) {
      const target = random.pick(this.#conditionsOn(type));
      if (random.chance(50)) return `...${this.#fragment(target, depth)}${this.#directives()}`;
      const on = target === type && random.chance(50) ? '' : ` on ${target.name}`;
      return `...${on}${this.#directives()} ${this.#selection(target, depth + 1)}`;
    }
    return this.#field(type, depth, chosen);
  }

  /** The possible type conditions of fragments in a selection of `type`. */
  #conditionsOn(type: GraphQLCompositeType): GraphQLCompositeType[] {
    const known = conditions.get(type) ?? this.#newConditionsOn(type);
    conditions.set(type, known);
    return known;
  }

  #newConditionsOn(type: GraphQLCompositeType): GraphQLCompositeType[] {
    const possible = isAbstractType(type) ? this.schema.getPossibleTypes(type) : [type];
    const abstract = Object.values(this.schema.getTypeMap()).filter(
      (one) => isAbstractType(one) && possible.some((object) => this.schema.isSubType(one, object)),
    ) as GraphQLCompositeType[];
    return [type, ...possible, ...abstract];
  }

  #fragment(type: GraphQLCompositeType, depth: number): string {
    const known = this.#fragments.filter((fragment) => fragment.type === type && fragment.text);
    if (known.length > 0 && this.random.chance(50)) return this.random.pick(known).name;
    const fragment = { name: `F${this.#fragments.length}`, type, text: '' };
    this.#fragments.push(fragment);
    fragment.text = this.#selection(type, depth + 1);
    return fragment.name;
  }

  #field(type: GraphQLCompositeType, depth: number, chosen: GraphQLField<unknown, unknown>[]): string {
    const { random } = this;
    const all = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    const isFull = depth >= MAX_DEPTH || this.#fields > MAX_FIELDS;
    const fields = isFull ? all.filter((field) => isLeafType(getNamedType(field.type))) : all;
    this.#fields += 1;
    if (fields.length === 0 || random.chance(6)) return `${random.chance(30) ? 'kind: ' : ''}__typename${this.#directives()}`;
    const field = chosen.length > 0 && random.chance(30) ? random.pick(chosen) : random.pick(fields);
    chosen.push(field);
    const args = this.#arguments(field.args);
    const named = getNamedType(field.type);
    const selection = isCompositeType(named) ? ` ${this.#selection(named, depth + 1)}` : '';
    return `${this.#alias(field.name, args)}${field.name}${args}${this.#directives()}${selection}`;
  }

  #alias(name: string, args: string): string {
    const { random } = this;
    if (random.chance(10)) return `${random.pick(['a', 'b', 'c', 'id', 'name'])}: `;
    return args && !random.chance(30) ? `${name}${hashOf(args) % 1_000}: ` : '';
  }

  #directives(): string {
    const { random } = this;
    if (!random.chance(28)) return '';
    const one = () => {
      const name = random.pick(['skip', 'include']);
      const isLiteral = this.#conditions.length === 0 || random.chance(15);
      return `@${name}(if: ${isLiteral ? random.chance(50) : random.pick(this.#conditions)})`;
    };
    const [first, second] = [one(), one()];
    return random.chance(15) && first.slice(0, 4) !== second.slice(0, 4) ? ` ${first} ${second}` : ` ${first}`;
  }

  #arguments(declared: readonly GraphQLArgument[]): string {
    const given = declared.filter((argument) => isRequiredArgument(argument) || this.random.chance(25));
    if (given.length === 0) return '';
    return `(${given.map((argument) => `${argument.name}: ${this.#argument(argument.type)}`).join(', ')})`;
  }

  /** A literal or a variable for an argument. An optional variable can be without a value and without a default. */
  #argument(type: GraphQLInputType): string {
    const { random } = this;
    const value = this.#value(type, 0);
    if (!random.chance(40)) return literal(value, type);
    const name = `v${this.#variables.length}`;
    const hasDefault = random.chance(35);
    this.#variables.push(`$${name}: ${type}${hasDefault ? ` = ${literal(this.#value(type, 0), type)}` : ''}`);
    if ((isNonNullType(type) && !hasDefault) || random.chance(70)) this.#values[name] = value;
    return `$${name}`;
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    const { random } = this;
    if (isNonNullType(type)) return this.#present(type.ofType, depth);
    return depth > 0 && random.chance(10) ? null : this.#present(type, depth);
  }

  #present(type: GraphQLInputType, depth: number): unknown {
    const { random } = this;
    if (isNonNullType(type)) return this.#present(type.ofType, depth);
    if (isListType(type)) return Array.from({ length: random.below(3) }, () => this.#value(type.ofType, depth + 1));
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    if (isInputObjectType(type) && type.isOneOf) {
      const only = random.pick(Object.values(type.getFields()));
      return { [only.name]: this.#present(only.type, depth + 1) };
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => isRequiredInputField(field) || (depth < 2 && random.chance(25)));
      return Object.fromEntries(fields.map((field) => [field.name, this.#value(field.type, depth + 1)]));
    }
    switch (type.name) {
      case 'Int':
        return random.below(50);
      case 'Float':
        return random.below(50) / 4;
      case 'Boolean':
        return random.chance(50);
      default:
        return `t${random.below(50)}`;
    }
  }
}

function literal(value: unknown, type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(value, type.ofType);
  if (value === null) return 'null';
  if (isListType(type)) return `[${(value as unknown[]).map((item) => literal(item, type.ofType)).join(', ')}]`;
  if (isEnumType(type)) return String(value);
  if (isInputObjectType(type)) {
    const fields = Object.entries(value as Record<string, unknown>);
    return `{ ${fields.map(([name, one]) => `${name}: ${literal(one, type.getFields()[name]?.type as GraphQLInputType)}`).join(', ')} }`;
  }
  return JSON.stringify(value);
}
