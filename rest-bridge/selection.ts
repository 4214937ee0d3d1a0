import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  parse,
  print,
  type SelectionSetNode,
} from 'graphql';
import { pascalCase, snakeCase } from './names.ts';
import type { View } from './route.ts';

/** One member of what REST shows. */
export interface SelectedField {
  name: string;
  field: GraphQLField<unknown, unknown>;
  /** `(limit: 5)`, as the view writes it. */
  arguments: string;
  object?: SelectedObject;
}

/** What REST shows of one type: a schema of the OpenAPI document, by its name. */
export interface SelectedObject {
  name: string;
  type: GraphQLObjectType;
  fields: SelectedField[];
}

/** Makes the selections of all routes, so that what is shown alike is one object. */
export class Selections {
  readonly #plain = new Map<string, SelectedObject>();
  readonly #views = new Map<View, SelectedObject>();

  /** Undefined for scalars and enums. @throws for a view that does not fit the type. */
  of(type: GraphQLOutputType, view?: View): SelectedObject | undefined {
    const named = getNamedType(type);
    if (isLeafType(named)) return undefined;
    const object = asObject(named);
    return view ? this.#viewOf(object, view) : this.#plainOf(object);
  }

  /** A record's own fields: scalars, enums, and value objects. Other records, and what takes arguments, are what GraphQL is for. */
  #plainOf(type: GraphQLObjectType): SelectedObject {
    const known = this.#plain.get(type.name);
    if (known) return known;
    const selected: SelectedObject = { name: type.name, type, fields: [] };
    this.#plain.set(type.name, selected);
    selected.fields = Object.values(type.getFields())
      .filter((field) => field.args.length === 0 && isPlain(field.type, [type.name]))
      .map((field) => ({ name: snakeCase(field.name), field, arguments: '', ...this.#objectOf(field.type) }));
    return selected;
  }

  #objectOf(type: GraphQLOutputType): { object?: SelectedObject } {
    const object = this.of(type);
    return object ? { object } : {};
  }

  #viewOf(type: GraphQLObjectType, view: View): SelectedObject {
    const known = this.#views.get(view);
    if (known && known.type !== type) throw new Error(`the view ${view.name} is of ${known.type.name}, not of ${type.name}`);
    if (known) return known;
    const [definition] = parse(view.selection, { noLocation: true }).definitions;
    if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`the view ${view.name} is not a selection`);
    const selected = this.#select(type, definition.selectionSet, view.name);
    this.#views.set(view, selected);
    return selected;
  }

  #select(type: GraphQLObjectType, { selections }: SelectionSetNode, name: string): SelectedObject {
    const fields = selections.flatMap((node): SelectedField[] => {
      if (node.kind === Kind.FIELD) return [this.#field(type, node, name)];
      if (node.kind === Kind.FRAGMENT_SPREAD && node.name.value === 'fields') return this.#plainOf(type).fields;
      throw new Error(`the view ${name} may hold fields and ...fields`);
    });
    // a field that the view writes out stands for the plain one of its name
    return { name, type, fields: [...new Map(fields.map((field) => [field.name, field])).values()] };
  }

  #field(type: GraphQLObjectType, node: FieldNode, view: string): SelectedField {
    const field = type.getFields()[node.name.value];
    if (!field) throw new Error(`the view ${view} asks ${type.name} for ${node.name.value}, which it does not have`);
    const name = node.alias?.value ?? snakeCase(field.name);
    const named = getNamedType(field.type);
    const args = node.arguments?.length ? `(${node.arguments.map((argument) => print(argument)).join(', ')})` : '';
    if (isLeafType(named)) return { name, field, arguments: args };
    const object = node.selectionSet
      ? this.#select(asObject(named), node.selectionSet, `${view}${pascalCase(name)}`)
      : this.#plainOf(asObject(named));
    return { name, field, arguments: args, object };
  }
}

function asObject(type: GraphQLNamedType): GraphQLObjectType {
  if (isObjectType(type)) return type;
  throw new Error(`${type.name} is an interface or a union, and REST shows objects`);
}

/** A scalar, an enum, or an object without an identity of its own that does not lead back to itself. */
function isPlain(type: GraphQLOutputType, within: readonly string[]): boolean {
  const named = getNamedType(type);
  if (isLeafType(named)) return true;
  return isObjectType(named) && !isRecord(named) && !pageNode(type) && !within.includes(named.name);
}

const isRecord = (type: GraphQLObjectType): boolean => Boolean(type.getFields().id);

/** The type of a page's records: a page is an object with `nodes` and `pageInfo`. */
export function pageNode(type: GraphQLOutputType): GraphQLOutputType | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  const { nodes, pageInfo } = named.getFields();
  return nodes && pageInfo && isListType(getNullableType(nodes.type)) ? (getNamedType(nodes.type) as GraphQLOutputType) : undefined;
}

/** `{ id created_at: createdAt }`. */
export function printSelection({ fields }: SelectedObject): string {
  const printed = fields.map(({ name, field, arguments: args, object }) => {
    const alias = name === field.name ? '' : `${name}: `;
    return `${alias}${field.name}${args}${object ? ` ${printSelection(object)}` : ''}`;
  });
  return `{ ${printed.join(' ')} }`;
}
