import { Field, ID, InputType } from 'type-graphql';
import { sortOf } from '../../../kernel/graphql/page.ts';

@InputType({ description: 'Conditions for a list of audit records. A record must meet all of them.' })
export class AuditFilter {
  @Field(() => [String], { nullable: true, description: 'Only records of these types, such as `authentication_failure`.' })
  eventType?: string[];

  @Field(() => [ID], { nullable: true })
  userId?: string[];

  @Field(() => [ID], { nullable: true, description: 'Only records about these API keys, certificates or OAuth clients, by id.' })
  clientId?: string[];

  @Field(() => [String], { nullable: true, description: 'Only records with one of these IP addresses.' })
  ipAddress?: string[];

  @Field(() => [String], { nullable: true, description: 'Only records with one of these methods, such as `password`.' })
  authenticationMethod?: string[];

  @Field(() => Date, { nullable: true, description: 'Only records at this time or later.' })
  from?: Date;

  @Field(() => Date, { nullable: true, description: 'Only records before this time.' })
  to?: Date;
}

export enum AuditSortField {
  TIMESTAMP = 'timestamp',
}
export const AuditSort = sortOf('AuditRecord', AuditSortField, { TIMESTAMP: 'Time at which it happened.' });
