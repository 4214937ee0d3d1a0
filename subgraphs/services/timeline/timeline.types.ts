import { Field, ID, ObjectType } from 'type-graphql';
import { pageOf } from '../../../kernel/graphql/page.ts';

/** The kinds of records in a timeline, by the names of their loaders. */
export type TimelineKind = 'statusChanges' | 'serviceChanges' | 'maintenanceWindows';

/**
 * Entry in the timeline of a service. It refers to a record, which is read only if the client selects it. The entry is not a
 * union of the three record types: their fields `status` have different types, so a client could not select them together.
 */
@ObjectType({ description: 'An entry in the history of a service. It has either `statusChange`, `change` or `maintenanceWindow`.' })
export class TimelineEntry {
  @Field(() => ID, { description: 'The id of the status change, the change or the maintenance window.' })
  id!: string;

  kind!: TimelineKind;

  @Field({ description: 'When the record was created. Entries are in this order.' })
  createdAt!: Date;
}

export const ServiceTimelinePage = pageOf('ServiceTimeline', TimelineEntry);
