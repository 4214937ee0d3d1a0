import type { DocumentNode, GraphQLField, GraphQLOutputType } from 'graphql';
import type { Resource } from '../kernel/errors/resource.ts';
import type { ConvertEnums } from './enum-case.ts';
import type { InputPlan } from './input-plan.ts';
import type { ReadInput } from './input-reader.ts';
import type { Route } from './route.ts';
import type { SelectedObject } from './selection.ts';

/** A line of the route table with everything that can be known before the first request. */
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
  /** The path parameter that names the record; for 404. */
  recordParameter: string | undefined;
  /** What there is none of where the field is null; undefined for a field that never is. */
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
  /** The operation in the graph: always this object, so that parsed documents and plans can be kept by it. */
  document: DocumentNode;
}
