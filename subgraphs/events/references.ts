import { Directive, Field, ID, ObjectType } from 'type-graphql';

/** Entities of other subgraphs that an event may be about. */
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

@ObjectType('Invoice')
@Directive('@key(fields: "id")')
export class Invoice {
  @Field(() => ID)
  id!: string;
}

@ObjectType('Ticket')
@Directive('@key(fields: "id")')
export class Ticket {
  @Field(() => ID)
  id!: string;
}
