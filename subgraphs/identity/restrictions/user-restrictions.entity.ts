import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { TimeWindow } from './time-window.ts';

/**
 * Restrictions on the places and times at which users of an organization may log in and use the API (specification
 * 5.1). API keys have their own restrictions.
 */
@ObjectType({ description: 'When and from where users may log in and use their tokens. An empty list restricts nothing.' })
@Entity({ tableName: 'user_restrictions' })
export class UserRestrictions {
  /** Id of the organization. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Field(() => [String], { description: 'CIDR ranges from which users may log in.' })
  @Property({ type: 'json' })
  ipWhitelist: string[] = [];

  @Field(() => [TimeWindow], { description: 'Hours in which users may log in.' })
  @Property({ type: 'json' })
  timeWindows: TimeWindow[] = [];

  @Field(() => [String], { description: 'Countries from which users may log in, as ISO 3166-1 codes with two letters.' })
  @Property({ type: 'json' })
  countries: string[] = [];

  @Field(() => Date, { nullable: true, description: 'When the restrictions last changed. Null if no restrictions were ever set.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  updatedAt: Date | null = null;
}
