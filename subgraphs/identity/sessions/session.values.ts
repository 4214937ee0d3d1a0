import { Field, ID, Int, ObjectType } from 'type-graphql';
import { User } from '../users/user.entity.ts';

/** The token response of specification 2.3, and the user. */
@ObjectType({ description: 'What a login or refresh answers.' })
export class SessionTokens {
  @Field(() => String, { description: 'A JWT, for `Authorization: Bearer`.' })
  accessToken!: string;

  @Field(() => String)
  tokenType!: string;

  @Field(() => Int, { description: 'Seconds.' })
  expiresIn!: number;

  @Field(() => String, { description: 'Continues the session, once: its use makes the next one.' })
  refreshToken!: string;

  @Field(() => String, { description: 'Permissions in dot form, with spaces between.' })
  scope!: string;

  @Field(() => ID)
  userId!: string;

  @Field(() => ID)
  sessionId!: string;

  @Field(() => User)
  user!: User;
}

/** Who the credentials of a request belong to. */
@ObjectType({ description: 'Who the credentials of this request belong to.' })
export class CallerIdentity {
  @Field(() => Boolean)
  active!: boolean;

  @Field(() => String, { description: 'api_key, user, client or certificate.' })
  type!: string;

  @Field(() => ID, { description: 'Of the key, user, client or certificate.' })
  id!: string;

  @Field(() => ID)
  organizationId!: string;

  @Field(() => String)
  plan!: string;

  @Field(() => [String])
  permissions!: string[];

  @Field(() => [ID], { nullable: true, description: 'The accounts that the caller is limited to; null: they see the whole organization.' })
  accounts!: string[] | null;

  @Field(() => ID, { nullable: true })
  sessionId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The OAuth client that acts for the user.' })
  clientId!: string | null;

  @Field(() => Boolean, { description: 'Whether operations that ask for a second factor would ask now.' })
  needsSecondFactor!: boolean;

  @Field(() => User, { nullable: true })
  user!: User | null;
}
