import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';

export enum AuthorType {
  AGENT = 'agent',
  CUSTOMER = 'customer',
  SYSTEM = 'system',
}
registerEnumType(AuthorType, {
  name: 'AuthorType',
  description: 'Kind of author of a comment.',
  valuesConfig: {
    AGENT: { description: 'The support desk.' },
    CUSTOMER: { description: 'The customer who has the problem.' },
    SYSTEM: { description: 'A program, such as an integration.' },
  },
});

/** Author of a comment, with the name and e-mail address that the author had at the time of writing. */
@ObjectType({ description: 'Author of a comment.' })
export class CommentAuthor {
  @Field(() => AuthorType, { description: 'Kind of author.' })
  type!: AuthorType;

  @Field(() => ID, { description: 'Id of an agent or user, a customer number, or the id of the credentials that were used.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'E-mail address. Null if unknown.' })
  email!: string | null;
}
