import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { PREFIXES } from '../../kernel/values/id-prefixes.ts';

/** Entities of other subgraphs that this subgraph extends or refers to. */
@ObjectType('Account')
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID)
  id!: string;
}

@ObjectType('Service')
@Directive('@key(fields: "id")')
export class Service {
  @Field(() => ID)
  id!: string;
}

/**
 * Returns the service that a record bills. Null if the record bills usage of the account itself. The service id of this record is the id of
 * the account.
 */
export const billedService = (serviceId: string): Service | null =>
  serviceId.startsWith(`${PREFIXES.account}_`) ? null : { id: serviceId };

@ObjectType('AnalyticsScope')
@Directive('@key(fields: "id")')
export class AnalyticsScope {
  @Field(() => ID)
  id!: string;
}
