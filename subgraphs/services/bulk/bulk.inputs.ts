import { ArrayMaxSize, ArrayMinSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { MaxJson } from '../../../kernel/graphql/max-json.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { ORDER_CYCLE } from '../accounts/order-account.ts';
import { bandwidthProblems } from '../coverage/bandwidth-option.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { BulkKind, BulkStatus } from './bulk.states.ts';

/** Maximum number of items of a bulk. */
export const MAX_ITEMS = 100;

const LIMITS = `1 to ${MAX_ITEMS}`;
const TOO_FEW = { message: 'must have at least 1 entry' };
const TOO_MANY = { message: `must have at most ${MAX_ITEMS} entries` };

export const IsServiceIds = (): PropertyDecorator => (target, key) => {
  ArrayMinSize(1, TOO_FEW)(target, key);
  ArrayMaxSize(MAX_ITEMS, TOO_MANY)(target, key);
};

@InputType({ description: 'One service to order in a bulk.' })
@Rule<BulkServiceInput>(({ customizations }) => bandwidthProblems(customizations, 'customizations'))
export class BulkServiceInput {
  @Field(() => ID, { description: 'Id of a catalog entry that can be ordered, such as `business_fiber`.' })
  @Characters(1, 100)
  template!: string;

  @Field(() => ServiceLocation, { nullable: true, description: 'Street address where the service is built, if the service has one.' })
  @IsOptional()
  @ValidateNested()
  location?: ServiceLocation | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Options of the service: its `bandwidth`, such as `500mbps`, and settings that are specific to the kind of service, such as `redundancy`. At most 16 KiB.',
  })
  @IsOptional()
  @MaxJson()
  customizations?: Record<string, unknown> | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Account that the service is for (`acc_…`). It must be active. Default: your organization's own account, or your only account if you are limited to one account.",
  })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => String, { nullable: true, description: 'Name shown in lists. Default: a name made of the catalog entry and the place.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Service level from the catalog. Default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string | null;

  @Field(() => BillingCycle, { nullable: true, description: ORDER_CYCLE })
  @IsOptional()
  billingCycle?: BillingCycle | null;

  @Field(() => [String], { nullable: true, description: 'Features from the catalog that are switched on. At most 50.' })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'must have at most 50 entries' })
  features?: string[] | null;
}

@InputType({ description: 'How the items of a bulk are processed.' })
export class BulkOrchestration {
  @Field(() => Boolean, {
    defaultValue: true,
    description: 'Whether to build the services in parallel. If false, each service is built after the previous service.',
  })
  parallel: boolean = true;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether the services become operational only when all of them are built. If one of them fails, all services are released.',
  })
  rollbackOnFailure: boolean = false;
}

@InputType({ description: 'Services to order in a bulk.' })
export class BulkProvisionInput {
  @Field(() => [BulkServiceInput], { description: `Services to order, ${LIMITS}.` })
  @IsServiceIds()
  @ValidateNested({ each: true })
  services!: BulkServiceInput[];

  @Field(() => BulkOrchestration, { nullable: true, description: 'How the services are built. Default: in parallel, without a rollback.' })
  @IsOptional()
  @ValidateNested()
  orchestration?: BulkOrchestration | null;
}

@InputType({ description: 'Conditions for a list of bulks.' })
export class BulkFilter {
  @Field(() => [BulkStatus], { nullable: true })
  status?: BulkStatus[];

  @Field(() => [BulkKind], { nullable: true, description: 'Only bulks with one of these operations.' })
  kind?: BulkKind[];

  @Field(() => [ID], { nullable: true })
  accountId?: string[];
}

export enum BulkSortField {
  CREATED_AT = 'createdAt',
  UPDATED_AT = 'updatedAt',
  STATUS = 'status',
}
export const BulkSort = sortOf('Bulk', BulkSortField);

@InputType({ description: 'Services whose status is requested: a list of services, or a bulk.' })
@Rule<BulkStatusInput>(({ serviceIds, bulkId }) => {
  if (serviceIds && bulkId) return [{ field: 'bulkId', value: bulkId, reason: 'cannot be combined with serviceIds' }];
  return serviceIds || bulkId ? [] : [{ field: 'serviceIds', reason: 'is required, or bulkId' }];
})
export class BulkStatusInput {
  @Field(() => [ID], { nullable: true, description: `Services (\`svc_…\`), ${LIMITS}.` })
  @IsOptional()
  @IsServiceIds()
  serviceIds?: string[] | null;

  @Field(() => ID, { nullable: true, description: 'Bulk whose services are returned (`bulk_…`).' })
  @IsOptional()
  bulkId?: string | null;
}
