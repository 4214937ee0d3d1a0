import { IsOptional } from 'class-validator';
import { Field, ID, InputType, registerEnumType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { ServiceStatus, ServiceType } from './service.states.ts';

/** Where `search` looks. */
export enum ServiceSearchField {
  ID = 'id',
  NAME = 'name',
  SERVICE_TYPE = 'serviceType',
  LOCATION = 'location',
}
registerEnumType(ServiceSearchField, { name: 'ServiceSearchField' });

@InputType()
export class ServiceFilter {
  @Field(() => [ID], { nullable: true, description: 'Only these; an id that there is not is left out.' })
  id?: string[];

  @Field(() => [ServiceStatus], { nullable: true })
  status?: ServiceStatus[];

  @Field(() => [ServiceType], { nullable: true })
  type?: ServiceType[];

  @Field(() => [String], { nullable: true, description: 'Such as `fiber`.' })
  serviceType?: string[];

  @Field(() => [ID], { nullable: true })
  accountId?: string[];

  @Field(() => String, { nullable: true, description: 'A part of the address, city, state or ZIP code; upper and lower case alike.' })
  @IsOptional()
  @Characters(1, 100)
  location?: string;

  @Field(() => String, { nullable: true, description: 'A part of one of the `fields`; upper and lower case alike.' })
  @IsOptional()
  @Characters(1, 100)
  search?: string;

  @Field(() => [ServiceSearchField], { nullable: true, description: 'Where `search` looks. Default: everywhere.' })
  fields?: ServiceSearchField[];

  @Field(() => Date, { nullable: true, description: 'Ordered at this moment or later.' })
  dateFrom?: Date;

  @Field(() => Date, { nullable: true, description: 'Ordered before this moment.' })
  dateTo?: Date;
}

export enum ServiceSortField {
  CREATED_AT = 'createdAt',
  UPDATED_AT = 'updatedAt',
  PROVISIONED_AT = 'provisionedAt',
  NAME = 'name',
  STATUS = 'status',
  BANDWIDTH = 'bandwidthMbps',
  MONTHLY_PRICE = 'monthlyPrice',
}
export const ServiceSort = sortOf('Service', ServiceSortField);
