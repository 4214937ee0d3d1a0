import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { DunningState } from './dunning.states.ts';

/** Dunning state of an account: whether the account pays in time. A trigger creates the row with the first invoice of the account. */
@ObjectType({ description: 'Whether an account pays in time.' })
@Entity({ tableName: 'dunning' })
@OrganizationFilter({ account: 'id' })
@Index({ properties: ['dueAt'] })
export class Dunning {
  /** Id of the account. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => DunningState, { description: 'Current state.' })
  @Enum({ items: () => DunningState, type: 'text', default: 'current' })
  state: DunningState = DunningState.CURRENT;

  @Field(() => Date, { nullable: true, description: 'When the account got this state. Null if no invoice was ever overdue.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  since: Date | null = null;

  /** Number of changes of the dunning state. Receivers of events ignore an event with a lower number than the last received event. */
  @Property({ type: 'integer', default: 0 })
  revision = 0;

  /**
   * Time of the next review of the account: when a reminder or suspension is due, or when an invoice was paid. Null if no review is
   * planned.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;
}
