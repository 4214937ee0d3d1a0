import { Directive, Field, ID, ObjectType } from 'type-graphql';

/** Entities of other subgraphs, as far as this one extends them or refers to them. */
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
