import { IsOptional } from 'class-validator';
import { Field, ID, InputType, registerEnumType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule, type Valid } from '../../../kernel/graphql/rule.ts';
import { RestorationPriority } from './restoration-priority.ts';
import { ServiceStatus, ServiceType } from './service.states.ts';

/** Fields of a service that the argument `search` searches. */
export enum ServiceSearchField {
  ID = 'id',
  NAME = 'name',
  SERVICE_TYPE = 'serviceType',
  LOCATION = 'location',
}
registerEnumType(ServiceSearchField, {
  name: 'ServiceSearchField',
  description: 'Fields that a text search of services can look in.',
  valuesConfig: {
    ID: { description: 'Id of the service.' },
    NAME: { description: 'Name of the service.' },
    SERVICE_TYPE: { description: 'Subtype, such as `fiber`.' },
    LOCATION: { description: 'Address, city, state and ZIP code.' },
  },
});

@InputType({ description: 'Conditions for a list of services. A service must meet all of them.' })
@Rule<ServiceFilter>(searchProblems)
export class ServiceFilter {
  @Field(() => [ID], { nullable: true, description: 'Only services with one of these ids. Unknown ids are ignored.' })
  id?: string[];

  @Field(() => [ServiceStatus], { nullable: true })
  status?: ServiceStatus[];

  @Field(() => [ServiceType], { nullable: true, description: 'Only services of these kinds.' })
  type?: ServiceType[];

  @Field(() => [String], {
    nullable: true,
    description: 'Only services of these subtypes, such as `fiber` (internet) or `mpls` (network).',
  })
  serviceType?: string[];

  @Field(() => [String], { nullable: true, description: 'Only services from these categories of the catalog, such as `connectivity`.' })
  category?: string[];

  @Field(() => [RestorationPriority], {
    nullable: true,
    description: 'Only services with these restoration priorities. The priority follows from the service level.',
  })
  priority?: RestorationPriority[];

  @Field(() => [ID], { nullable: true })
  accountId?: string[];

  @Field(() => String, {
    nullable: true,
    description: 'Only services whose address, city, state or ZIP code contains this text, ignoring case. 1 to 100 characters.',
  })
  @IsOptional()
  @Characters(1, 100)
  location?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Only services with this text in one of the `fields`, ignoring case. 1 to 100 characters.',
  })
  @IsOptional()
  @Characters(1, 100)
  search?: string;

  @Field(() => String, { nullable: true, description: 'Another name for `search`. If you send both, they must be equal.' })
  @IsOptional()
  @Characters(1, 100)
  q?: string;

  @Field(() => [ServiceSearchField], {
    nullable: true,
    description: 'Fields in which `search` looks. Default: all fields of this list. Only allowed with `search` or `q`.',
  })
  fields?: ServiceSearchField[];

  @Field(() => Date, { nullable: true, description: 'Only services ordered at this time or later.' })
  dateFrom?: Date;

  @Field(() => Date, { nullable: true, description: 'Only services ordered before this time.' })
  dateTo?: Date;
}

function searchProblems({ search, q, fields }: Valid<ServiceFilter>): FieldProblem[] {
  if (search && q && search !== q)
    return [{ field: 'q', value: q, reason: 'must be equal to `search`, because it is another name for it' }];
  return fields?.length && !search && !q ? [{ field: 'fields', value: fields, reason: 'is only allowed with `search`' }] : [];
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
export const ServiceSort = sortOf('Service', ServiceSortField, {
  PROVISIONED_AT: 'Time at which the service became operational.',
  BANDWIDTH: 'Bandwidth in megabits per second.',
  MONTHLY_PRICE: 'Price for one month.',
});
