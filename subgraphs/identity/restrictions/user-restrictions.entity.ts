import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { TimeWindow } from './time-window.ts';

/** From where, and when, the users of an organization may log in and act (specification 5.1). Keys have restrictions of their own. */
@ObjectType({ description: 'From where, and when, users may log in and use their tokens. What is empty restricts nothing.' })
@Entity({ tableName: 'user_restrictions' })
export class UserRestrictions {
  /** The organization. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Field(() => [String], { description: 'CIDR ranges.' })
  @Property({ type: 'json' })
  ipWhitelist: string[] = [];

  @Field(() => [TimeWindow])
  @Property({ type: 'json' })
  timeWindows: TimeWindow[] = [];

  @Field(() => [String], { description: 'ISO 3166-1 alpha-2.' })
  @Property({ type: 'json' })
  countries: string[] = [];

  @Field(() => Date, { nullable: true, description: 'Null where nothing was ever restricted.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  updatedAt: Date | null = null;
}
