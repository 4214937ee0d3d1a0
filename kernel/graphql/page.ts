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
registerEnumType(SortOrder, { name: 'SortOrder', description: 'The direction of a sort.' });

/** Which part of a list is wanted: by page, by offset, or by the cursor that the previous answer gave. */
@InputType({ description: 'Which part of a list is wanted: `page` and `perPage`, or `cursor` and `limit`, or `limit` and `offset`.' })
@Rule<PageInput>(({ page, offset, cursor }) => {
  const [first, ...others] = Object.entries({ page, offset, cursor }).filter(([, value]) => value !== undefined && value !== null);
  return others.map(([field, value]) => ({ field, value, reason: `cannot be combined with ${first?.[0]}` }));
})
@Rule<PageInput>(({ perPage, limit }) =>
  perPage && limit && perPage !== limit ? [{ field: 'limit', value: limit, reason: 'differs from perPage; give one of them' }] : [],
)
export class PageInput {
  @Field(() => Int, { nullable: true, description: 'From 1.' })
  @IsOptional()
  @Min(1, { message: 'must be at least 1' })
  page?: number;

  @Field(() => Int, { nullable: true, description: `1 to ${PAGE_SIZE_MAX}, default ${PAGE_SIZE_DEFAULT}.` })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  @Max(PAGE_SIZE_MAX, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  perPage?: number;

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous answer; with the same filter and sort.' })
  @IsOptional()
  @MaxLength(2000)
  cursor?: string;

  @Field(() => Int, { nullable: true, description: `1 to ${PAGE_SIZE_MAX}, default ${PAGE_SIZE_DEFAULT}.` })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  @Max(PAGE_SIZE_MAX, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  limit?: number;

  @Field(() => Int, { nullable: true, description: 'From 0.' })
  @IsOptional()
  @Min(0, { message: 'must be at least 0' })
  offset?: number;
}

@ObjectType({ description: 'Where a page lies in its list.' })
@Directive('@shareable')
export class PageInfo {
  @Field(() => Int)
  page!: number;

  @Field(() => Int)
  perPage!: number;

  @Field(() => Int, { description: 'How many records the whole list has.' })
  total!: number;

  @Field(() => Int)
  pages!: number;

  @Field(() => Boolean)
  hasMore!: boolean;

  @Field(() => String, { nullable: true, description: 'Null on the last page.' })
  nextCursor!: string | null;
}

export interface Page<T> {
  nodes: T[];
  pageInfo: PageInfo;
}

/** The GraphQL type `<Name>Page` of a record's lists. */
export function pageOf<T extends object>(name: string, node: ClassType<T>): ClassType<Page<T>> {
  @ObjectType(`${name}Page`)
  class RecordPage implements Page<T> {
    @Field(() => [node])
    nodes!: T[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;
  }
  return RecordPage;
}

/** The GraphQL input `<Name>Sort` over a declared list of fields, with what is to be said of single ones. */
export function sortOf<F extends string, K extends string>(
  name: string,
  fields: Record<K, F>,
  descriptions: Partial<Record<K, string>> = {},
): ClassType<SortBy<F>> {
  const valuesConfig = Object.fromEntries(Object.entries(descriptions).map(([key, description]) => [key, { description }]));
  registerEnumType(fields, { name: `${name}SortField`, valuesConfig: valuesConfig as Record<K, { description: string }> });
  @InputType(`${name}Sort`)
  class RecordSort implements SortBy<F> {
    @Field(() => fields)
    field!: F;

    @Field(() => SortOrder, { defaultValue: SortOrder.ASC })
    order!: SortOrder;
  }
  return RecordSort;
}

export interface SortBy<F extends string = string> {
  field: F;
  order: SortOrder;
}

/** The order of lists of which nothing else was said. */
export const NEWEST_FIRST: readonly SortBy[] = [{ field: 'createdAt', order: SortOrder.DESC }];
