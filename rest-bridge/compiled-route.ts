import type { DocumentNode, GraphQLField, GraphQLOutputType } from 'graphql';
import type { Resource } from '../kernel/errors/resource.ts';
import type { ConvertEnums } from './enum-case.ts';
import type { InputPlan } from './input-plan.ts';
import type { ReadInput } from './input-reader.ts';
import type { Route } from './route.ts';
import type { SelectedObject } from './selection.ts';

/** A route with everything that can be computed before the first request. */
export interface CompiledRoute {
  route: Route;
  tag: string;
  kind: 'query' | 'mutation';
  field: GraphQLField<unknown, unknown>;
  permission: string | undefined;
  /** Whether callers who are limited to accounts are refused. */
  isOrganizationWide: boolean;
  /** Whether users are asked for a second factor. */
  secondFactor: boolean;
  status: number;
  /** The path parameter that identifies the record; named in a 404. */
  recordParameter: string | undefined;
  /** Type of the record in a 404 if the field is null; undefined if the field is never null. */
  resource: Resource | undefined;
  input: InputPlan;
  read: ReadInput;
  variables: (values: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  isPage: boolean;
  isList: boolean;
  object: SelectedObject | undefined;
  /** The type of the record or of the list's items. */
  recordType: GraphQLOutputType;
  convertEnums: ConvertEnums | undefined;
  convertLeaf: ((value: unknown) => unknown) | undefined;
  /** The GraphQL operation. Always the same object, since caches of parsed documents and plans use it as a key. */
  document: DocumentNode;
}
