import { Field, Int, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { BulkItemStatus } from './bulk.states.ts';

@ObjectType({ description: 'Number of items of a bulk in each state.' })
export class BulkCounts {
  @Field(() => Int, { description: 'All items.' })
  total!: number;

  @Field(() => Int, { description: 'Items that have not begun.' })
  pending!: number;

  @Field(() => Int, { description: 'Items whose services are being built or changed.' })
  inProgress!: number;

  @Field(() => Int, { description: 'Items whose services are built and wait for the other services.' })
  built!: number;

  @Field(() => Int, { description: 'Items that are completed.' })
  completed!: number;

  @Field(() => Int, { description: 'Items that failed.' })
  failed!: number;

  @Field(() => Int, { description: 'Items that were skipped.' })
  skipped!: number;

  @Field(() => Int, { description: 'Items whose services are being released.' })
  releasing!: number;

  @Field(() => Int, { description: 'Items whose services were released.' })
  released!: number;
}

@ObjectType({ description: 'Reason why an item of a bulk failed.' })
export class BulkItemError {
  @Field(() => String, { description: 'Error code, as in the errors of single operations.' })
  code!: string;

  @Field(() => String, { description: 'Message for people.' })
  message!: string;

  @Field(() => JsonObject, { description: 'Further information, as in the errors of single operations.' })
  details!: Record<string, unknown>;
}

/** Counts the items by their states. */
export function countsOf(items: readonly { status: BulkItemStatus }[]): BulkCounts {
  const count = (status: BulkItemStatus): number => items.filter((item) => item.status === status).length;
  return {
    total: items.length,
    pending: count(BulkItemStatus.PENDING),
    inProgress: count(BulkItemStatus.IN_PROGRESS),
    built: count(BulkItemStatus.BUILT),
    completed: count(BulkItemStatus.COMPLETED),
    failed: count(BulkItemStatus.FAILED),
    skipped: count(BulkItemStatus.SKIPPED),
    releasing: count(BulkItemStatus.RELEASING),
    released: count(BulkItemStatus.RELEASED),
  };
}
