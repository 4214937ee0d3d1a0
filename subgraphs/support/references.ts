import { Directive, Field, ID, ObjectType } from 'type-graphql';

/** Entities of other subgraphs that this subgraph extends or refers to. */
@ObjectType('Account')
@Directive('@key(fields: "customerId")')
export class Account {
  @Field(() => ID)
  customerId!: string;
}

@ObjectType('Service')
@Directive('@key(fields: "id")')
export class Service {
  @Field(() => ID)
  id!: string;
}

@ObjectType('AnalyticsScope')
@Directive('@key(fields: "id")')
export class AnalyticsScope {
  @Field(() => ID)
  id!: string;
}
