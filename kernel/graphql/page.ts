import 'reflect-metadata';
import { IsOptional, Max, MaxLength, Min } from 'class-validator';
import { type ClassType, Directive, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

import { Rule } from './rule.ts';

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 200;

export enum SortOrder {
  ASC = 'asc',
  DESC = 'desc',
}
registerEnumType(SortOrder, {
  name: 'SortOrder',
  description: 'Direction of a sort.',
  valuesConfig: { ASC: { description: 'Smallest, oldest or A first.' }, DESC: { description: 'Largest, newest or Z first.' } },
});

/** The part of a list to return: by page, by offset, or by the cursor of the previous response. */
@InputType({
  description: 'Part of a list to return, in one of three ways: `page` and `perPage`, `cursor` and `limit`, or `offset` and `limit`.',
})
@Rule<PageInput>(({ page, offset, cursor }) => {
  const [first, ...others] = Object.entries({ page, offset, cursor }).filter(([, value]) => value !== undefined && value !== null);
  return others.map(([field, value]) => ({ field, value, reason: `cannot be combined with ${first?.[0]}` }));
})
@Rule<PageInput>(({ perPage, limit }) =>
  perPage && limit && perPage !== limit ? [{ field: 'limit', value: limit, reason: 'differs from perPage; send only one of them' }] : [],
)
export class PageInput {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of the page, from 1. Cannot be combined with `cursor` or `offset`. Default: 1.',
  })
  @IsOptional()
  @Min(1, { message: 'must be at least 1' })
  page?: number;

  @Field(() => Int, { nullable: true, description: `Records per page, 1 to ${PAGE_SIZE_MAX}. Default: ${PAGE_SIZE_DEFAULT}.` })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  @Max(PAGE_SIZE_MAX, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  perPage?: number;

  @Field(() => String, {
    nullable: true,
    description:
      '`nextCursor` of the previous response. Send the same filter and sort as in the previous request. Cannot be combined with `page` or `offset`.',
  })
  @IsOptional()
  @MaxLength(2000)
  cursor?: string;

  @Field(() => Int, {
    nullable: true,
    description: `Maximum number of records, 1 to ${PAGE_SIZE_MAX}. Default: ${PAGE_SIZE_DEFAULT}. It has the same effect as \`perPage\`. If both are sent, they must be equal.`,
  })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  @Max(PAGE_SIZE_MAX, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  limit?: number;

  @Field(() => Int, { nullable: true, description: 'Number of records to skip. Cannot be combined with `page` or `cursor`. Default: 0.' })
  @IsOptional()
  @Min(0, { message: 'must be at least 0' })
  offset?: number;
}

@ObjectType({ description: 'Position of a page in its list.' })
@Directive('@shareable')
export class PageInfo {
  @Field(() => Int, { description: 'Number of this page, from 1.' })
  page!: number;

  @Field(() => Int, { description: 'Maximum number of records per page.' })
  perPage!: number;

  @Field(() => Int, { description: 'Number of records in the whole list.' })
  total!: number;

  @Field(() => Int, { description: 'Number of pages in the whole list.' })
  pages!: number;

  @Field(() => Boolean, { description: 'True if more records follow this page.' })
  hasMore!: boolean;

  @Field(() => String, { nullable: true, description: 'Value of `cursor` for the next page. Null on the last page.' })
  nextCursor!: string | null;
}

export interface Page<T> {
  nodes: T[];
  pageInfo: PageInfo;
}

/** Creates the GraphQL type `<Name>Page` for pages of records of one kind. */
export function pageOf<T extends object>(name: string, node: ClassType<T>): ClassType<Page<T>> {
  @ObjectType(`${name}Page`, { description: `One page of a list of ${name} records.` })
  class RecordPage implements Page<T> {
    @Field(() => [node], { description: 'Records of this page, in the order of the list.' })
    nodes!: T[];

    @Field(() => PageInfo, { description: 'Position of this page, and how to get the next page.' })
    pageInfo!: PageInfo;
  }
  return RecordPage;
}

/** Creates the GraphQL input `<Name>Sort` for the given sort fields. Descriptions of common fields are in common-descriptions.ts. */
export function sortOf<F extends string, K extends string>(
  name: string,
  fields: Record<K, F>,
  descriptions: Partial<Record<K, string>> = {},
): ClassType<SortBy<F>> {
  const valuesConfig = Object.fromEntries(Object.entries(descriptions).map(([key, description]) => [key, { description }]));
  registerEnumType(fields, {
    name: `${name}SortField`,
    description: `Fields by which a list of ${name} records can be sorted.`,
    valuesConfig: valuesConfig as Record<K, { description: string }>,
  });
  @InputType(`${name}Sort`, { description: `One entry of the sort order of a list of ${name} records.` })
  class RecordSort implements SortBy<F> {
    @Field(() => fields, { description: 'Field to sort by.' })
    field!: F;

    @Field(() => SortOrder, { defaultValue: SortOrder.ASC, description: 'Direction of the sort.' })
    order!: SortOrder;
  }
  return RecordSort;
}

export interface SortBy<F extends string = string> {
  field: F;
  order: SortOrder;
}

/** Default sort order of lists: the newest record first. */
export const NEWEST_FIRST: readonly SortBy[] = [{ field: 'createdAt', order: SortOrder.DESC }];
