import { Field, ID, InputType } from 'type-graphql';
import { sortOf } from '../../../kernel/graphql/page.ts';

@InputType()
export class AuditFilter {
  @Field(() => [String], { nullable: true })
  eventType?: string[];

  @Field(() => [ID], { nullable: true })
  userId?: string[];

  @Field(() => [ID], { nullable: true })
  clientId?: string[];

  @Field(() => [String], { nullable: true })
  ipAddress?: string[];

  @Field(() => [String], { nullable: true })
  authenticationMethod?: string[];

  @Field(() => Date, { nullable: true, description: 'From this instant on.' })
  from?: Date;

  @Field(() => Date, { nullable: true, description: 'Before this instant.' })
  to?: Date;
}

export enum AuditSortField {
  TIMESTAMP = 'timestamp',
}
export const AuditSort = sortOf('AuditRecord', AuditSortField);
