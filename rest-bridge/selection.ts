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

/** One selected field of a REST representation. */
export interface SelectedField {
  name: string;
  field: GraphQLField<unknown, unknown>;
  /** The arguments of the field in the view, as text such as `(limit: 5)`. Empty if the field has no arguments. */
  arguments: string;
  object?: SelectedObject;
}

/** The REST representation of a GraphQL type. It becomes a named schema in the OpenAPI document. */
export interface SelectedObject {
  name: string;
  type: GraphQLObjectType;
  fields: SelectedField[];
}

/** Creates the selections of all routes. Routes with the same representation share one object. */
export class Selections {
  readonly #plain = new Map<string, SelectedObject>();
  readonly #views = new Map<View, SelectedObject>();

  /**
   * Returns the representation of a type. Returns undefined if the type is a scalar or an enum.
   * @throws Error if the view does not match the type
   */
  of(type: GraphQLOutputType, view?: View): SelectedObject | undefined {
    const named = getNamedType(type);
    if (isLeafType(named)) return undefined;
    const object = asObject(named);
    return view ? this.#viewOf(object, view) : this.#plainOf(object);
  }

  /**
   * Selects the plain fields of a record: scalars, enums and objects without an id.
   * Other records, and fields with arguments, are available only through a view or over GraphQL.
   */
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
    if (known && known.type !== type)
      throw new Error(`the view ${view.name} selects fields of ${known.type.name} and cannot be used for ${type.name}`);
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
      throw new Error(`the view ${name} may contain only fields and ...fields`);
    });
    // a field in the view replaces the plain field of the same name
    return { name, type, fields: [...new Map(fields.map((field) => [field.name, field])).values()] };
  }

  #field(type: GraphQLObjectType, node: FieldNode, view: string): SelectedField {
    const field = type.getFields()[node.name.value];
    if (!field) throw new Error(`the view ${view} selects ${type.name}.${node.name.value}, which does not exist`);
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
  throw new Error(`${type.name} is an interface or a union, but REST can return only objects`);
}

/**
 * Returns true if a field of this type is plain: the type is a scalar, an enum, or an object that has no id and is not a
 * page. An object type that `within` names is not plain, because its representation would contain itself.
 */
function isPlain(type: GraphQLOutputType, within: readonly string[]): boolean {
  const named = getNamedType(type);
  if (isLeafType(named)) return true;
  return isObjectType(named) && !isRecord(named) && !pageNode(type) && !within.includes(named.name);
}

const isRecord = (type: GraphQLObjectType): boolean => Boolean(type.getFields().id);

/**
 * Returns the type of the records in a page, or undefined if the type is not a page. A page is an object with a list
 * `nodes` and a field `pageInfo`.
 */
export function pageNode(type: GraphQLOutputType): GraphQLOutputType | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  const { nodes, pageInfo } = named.getFields();
  return nodes && pageInfo && isListType(getNullableType(nodes.type)) ? (getNamedType(nodes.type) as GraphQLOutputType) : undefined;
}

/** Prints a selection such as `{ id created_at: createdAt }`. */
export function printSelection({ fields }: SelectedObject): string {
  const printed = fields.map(({ name, field, arguments: args, object }) => {
    const alias = name === field.name ? '' : `${name}: `;
    return `${alias}${field.name}${args}${object ? ` ${printSelection(object)}` : ''}`;
  });
  return `{ ${printed.join(' ')} }`;
}
