import type { DocumentNode, GraphQLField, GraphQLOutputType } from 'graphql';
import type { Resource } from '../kernel/errors/resource.ts';
import type { ConvertEnums } from './enum-case.ts';
import type { InputPlan } from './input-plan.ts';
import type { ReadInput } from './input-reader.ts';
import type { Route } from './route.ts';
import type { SelectedObject } from './selection.ts';

/** A route, and everything about it that is computed before the first request. */
export interface CompiledRoute {
  route: Route;
  tag: string;
  kind: 'query' | 'mutation';
  field: GraphQLField<unknown, unknown>;
  permission: string | undefined;
  /** Permissions that the operation requires too. */
  alsoRequired: readonly string[];
  /** True if the operation refuses callers who are limited to some accounts of the organization. */
  isOrganizationWide: boolean;
  /** True if the operation asks users for a second factor. */
  secondFactor: boolean;
  status: number;
  /** The path parameter that contains the id of the record. A 404 response repeats this id. */
  recordParameter: string | undefined;
  /**
   * The record type that a 404 response names if the GraphQL field returns null. Undefined if the field never returns
   * null.
   */
  resource: Resource | undefined;
  input: InputPlan;
  read: ReadInput;
  variables: (values: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  isPage: boolean;
  isList: boolean;
  object: SelectedObject | undefined;
  /** The type of the returned record. If the route returns a list, the type of its items. */
  recordType: GraphQLOutputType;
  convertEnums: ConvertEnums | undefined;
  convertLeaf: ((value: unknown) => unknown) | undefined;
  /**
   * The GraphQL operation. It is always the same object, because caches of parsed documents and query plans use it as a
   * key.
   */
  document: DocumentNode;
}
