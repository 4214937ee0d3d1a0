import { BigIntType } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** Position of a consumer in the event log. The row is also its lock, so that one process at a time consumes. */
@Entity({ tableName: 'consumer' })
export class ConsumerCursor {
  @PrimaryKey({ type: 'text' })
  name!: string;

  @Property({ type: new BigIntType('number') })
  lastSequence!: number;
}
