import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { Aggregation } from '../charts/chart.states.ts';
import { AlertCondition, AlertNoData, AlertSeverity, AlertState } from './alert.states.ts';

/**
 * An alert: a condition on a metric that is evaluated at an interval (specification 4.6). Evaluations write the columns from `state` to
 * `problem` with SQL, because these changes must not increment the revision.
 */
@ObjectType({ description: 'A condition on a metric. When it is met, people are notified.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'alert' })
@OrganizationFilter({ account: 'accountId' })
@Index({ name: 'alert_created_index', properties: ['organizationId', 'createdAt', 'id'] })
@Index({ name: 'alert_service_index', properties: ['organizationId', 'serviceId', 'createdAt', 'id'] })
@Index({ name: 'alert_due_index', properties: ['dueAt'] })
export class Alert {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name of the alert, 1 to 100 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What to do when the alert fires. Null if nothing is stated.' })
  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Field(() => ID, {
    nullable: true,
    description: 'Service whose series are watched (`svc_…`). Null: series of all services, and series without a service.',
  })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Account of the service (`acc_…`). Null if the alert has no service.' })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => String, { description: 'Name of the metric.' })
  @Property({ type: 'text' })
  metric!: string;

  @Field(() => [String], { description: 'Labels that the watched series have, each written as `name=value`.' })
  @Property({ type: 'json' })
  labels: string[] = [];

  @Field(() => [String], {
    description: 'Names of labels, or `service_id`, by which series are grouped. Each combination of values is an instance of the alert.',
  })
  @Property({ type: 'json' })
  groupBy: string[] = [];

  @Field(() => Aggregation, {
    nullable: true,
    description: 'How the samples of the window become one value. Null: `RATE` for a counter, otherwise `AVG`.',
  })
  @Enum({ items: () => Aggregation, type: 'text', nullable: true })
  aggregation: Aggregation | null = null;

  @Field(() => AlertCondition, { description: 'When the alert fires.' })
  @Enum({ items: () => AlertCondition, type: 'text' })
  condition!: AlertCondition;

  @Field(() => Float, { nullable: true, description: 'Limit of the value. Null if the condition is `ABSENT`.' })
  @Property({ type: 'double', nullable: true })
  threshold: number | null = null;

  @Field(() => Float, { nullable: true, description: 'Lower limit of the value. Null unless the condition is `OUTSIDE`.' })
  @Property({ type: 'double', nullable: true })
  lowerThreshold: number | null = null;

  @Field(() => Float, {
    nullable: true,
    description: 'Limit beyond which the value must return before the alert recovers. Null: `threshold`.',
  })
  @Property({ type: 'double', nullable: true })
  recoveryThreshold: number | null = null;

  @Field(() => Int, { description: 'Length of the window in seconds. It ends 10 seconds before the evaluation.' })
  @Property({ type: 'integer' })
  windowSeconds!: number;

  @Field(() => Int, { description: 'How long the condition must be met before the alert fires, in seconds.' })
  @Property({ type: 'integer' })
  forSeconds!: number;

  @Field(() => Int, { description: 'How long the condition must not be met before the alert resolves, in seconds.' })
  @Property({ type: 'integer' })
  recoverForSeconds!: number;

  @Field(() => Int, { description: 'Time between two evaluations, in seconds.' })
  @Property({ type: 'integer' })
  intervalSeconds!: number;

  @Field(() => AlertNoData, { description: 'Effect if there are no samples in the window.' })
  @Enum({ items: () => AlertNoData, type: 'text' })
  noData!: AlertNoData;

  @Field(() => AlertSeverity, { description: 'How serious it is if the alert fires.' })
  @Enum({ items: () => AlertSeverity, type: 'text' })
  severity!: AlertSeverity;

  @Field(() => [String], { description: 'E-mail addresses that are notified when the alert fires, and when it is resolved.' })
  @Property({ type: 'json' })
  notify: string[] = [];

  @Field(() => Int, {
    nullable: true,
    description:
      'Seconds after which people are notified again while the alert fires and is not acknowledged. Null: they are notified once.',
  })
  @Property({ type: 'integer', nullable: true })
  repeatEverySeconds: number | null = null;

  @Field(() => Boolean, { description: 'True if the alert opens an incident when it fires.' })
  @Property({ type: 'boolean' })
  openIncident = false;

  @Field(() => TicketPriority, {
    nullable: true,
    description: 'Priority of the support ticket that the alert opens when it fires. Null: it opens none.',
  })
  @Enum({ items: () => TicketPriority, type: 'text', nullable: true })
  openTicket: TicketPriority | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'Time until which nobody is notified that the alert fires. Null if the alert is not silenced.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  silencedUntil: Date | null = null;

  @Field(() => ID, { nullable: true, description: 'Caller who silenced the alert. Null if it is not silenced.' })
  @Property({ type: 'text', nullable: true })
  silencedBy: string | null = null;

  @Field(() => String, { nullable: true, description: 'Why the alert was silenced. Null if nothing was stated.' })
  @Property({ type: 'text', nullable: true })
  silenceComment: string | null = null;

  @Field(() => AlertState, { description: 'Worst state of the instances.' })
  @Enum({ items: () => AlertState, type: 'text' })
  state: AlertState = AlertState.OK;

  @Field(() => Date, { description: 'When the alert entered this state.' })
  @Property({ type: 'datetime', length: 3 })
  stateSince!: Date;

  @Field(() => Float, { nullable: true, description: 'Value of the last evaluation. Null without samples, and if series are grouped.' })
  @Property({ type: 'double', nullable: true })
  value: number | null = null;

  @Field(() => Date, { nullable: true, description: 'Time of the last evaluation. Null before the first one.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  evaluatedAt: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the alert cannot be evaluated, or only in part, such as a metric that does not exist. Null if there is no problem.',
  })
  @Property({ type: 'text', nullable: true })
  problem: string | null = null;

  /** Time of the next evaluation of the alert. */
  @Property({ type: 'datetime', length: 3 })
  dueAt!: Date;

  /** Time at which the last test notification was sent. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  testedAt: Date | null = null;

  /** Start of the hour in which the mails to each address are counted. Written by the evaluation, as are the counts. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  mailHourAt: Date | null = null;

  /** Number of mails that were sent to each address in this hour. */
  @Property({ type: 'integer', default: 0 })
  mailsSent = 0;

  /** Number of mails that were not sent, because there were too many in this hour. */
  @Property({ type: 'integer', default: 0 })
  mailsHeld = 0;

  @Revision()
  revision = 1;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Returns true if the alert is silenced, so that no notifications are sent when it fires. */
  isSilenced(now: Date): boolean {
    return this.silencedUntil !== null && this.silencedUntil > now;
  }
}
