import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import type { SlaPromise, SlaTargets } from '../sla/sla-terms.ts';
import { BusinessHours } from './sla-policy.values.ts';

/** An SLA policy of an organization. It applies to the categories that refer to it. */
@ObjectType({ description: 'A service level: targets for each priority, and business hours. Categories refer to it.' })
@Entity({ tableName: 'sla_policy' })
@OrganizationFilter()
@Unique({ properties: ['organizationId', 'name'] })
export class SlaPolicy implements SlaPromise {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name, shown as the tier of its tickets. Unique in the organization, 1 to 100 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { description: 'IANA time zone for tickets whose location has none, such as America/New_York.' })
  @Property({ type: 'text' })
  timezone = 'UTC';

  @Field(() => [BusinessHours], {
    nullable: true,
    description:
      'Business hours, in which the clocks of the service level run. Null means all hours. For critical tickets, the clocks run at all hours.',
  })
  @Property({ type: 'json', nullable: true })
  businessHours: BusinessHours[] | null = null;

  @Field(() => [String], { description: 'Days without business hours, such as `2026-12-25`, in the time zone.' })
  @Property({ type: 'json' })
  holidays: string[] = [];

  @Property({ type: 'json' })
  targets!: SlaTargets;

  @Revision()
  revision = 1;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
