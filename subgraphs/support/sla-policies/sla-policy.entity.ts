import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import type { SlaPromise, SlaTargets } from '../sla/sla-terms.ts';
import { BusinessHours } from './sla-policy.values.ts';

/** An SLA policy of an organization. It applies to the categories that refer to it. */
@ObjectType({ description: 'How soon tickets are answered and resolved, and when the desk works. Categories refer to it.' })
@Entity({ tableName: 'sla_policy' })
@OrganizationFilter()
@Unique({ properties: ['organizationId', 'name'] })
export class SlaPolicy implements SlaPromise {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'The tier that its tickets show.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { description: 'IANA zone of tickets whose location names none.' })
  @Property({ type: 'text' })
  timezone = 'UTC';

  @Field(() => [BusinessHours], { nullable: true, description: 'Null is round the clock. Critical tickets are always round the clock.' })
  @Property({ type: 'json', nullable: true })
  businessHours: BusinessHours[] | null = null;

  @Field(() => [String], { description: 'Dates such as `2026-12-25`, by the calendar of the zone.' })
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
