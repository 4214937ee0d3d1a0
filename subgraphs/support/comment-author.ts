import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';

export enum AuthorType {
  AGENT = 'agent',
  CUSTOMER = 'customer',
  SYSTEM = 'system',
}
registerEnumType(AuthorType, { name: 'AuthorType', description: 'For whom somebody speaks: the desk, the customer, or a program.' });

/** Author of a comment. The name and email are those at the time of writing. */
@ObjectType()
export class CommentAuthor {
  @Field(() => AuthorType)
  type!: AuthorType;

  @Field(() => ID, { description: 'Of an agent or a user, a customer number, or the credentials that it was written with.' })
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true })
  email!: string | null;
}
