import { BigIntType } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** Position of a consumer in the event log. Processes lock this row, so that each batch takes effect once. */
@Entity({ tableName: 'consumer' })
export class ConsumerCursor {
  @PrimaryKey({ type: 'text' })
  name!: string;

  @Property({ type: new BigIntType('number') })
  lastSequence!: number;
}
