import { Field, ID, Int, ObjectType } from 'type-graphql';
import { User } from '../users/user.entity.ts';

/** The token response of specification 2.3, with the user. */
@ObjectType({ description: 'Tokens of a session.' })
export class SessionTokens {
  @Field(() => String, { description: 'Access token (JWT) for the header `Authorization: Bearer`.' })
  accessToken!: string;

  @Field(() => String, { description: 'Type of the access token: `Bearer`.' })
  tokenType!: string;

  @Field(() => Int, { description: 'Seconds until the access token expires.' })
  expiresIn!: number;

  @Field(() => String, { description: 'Token to continue the session. It works once. Each refresh returns the next refresh token.' })
  refreshToken!: string;

  @Field(() => String, { description: 'Permissions, separated by spaces, such as `services.read support.create`.' })
  scope!: string;

  @Field(() => ID, { description: 'Id of the user (`user_…`).' })
  userId!: string;

  @Field(() => ID, { description: 'Id of the session (`sess_…`).' })
  sessionId!: string;

  @Field(() => User, { description: 'User who logged in.' })
  user!: User;
}

/** The principal that the credentials of a request belong to. */
@ObjectType({ description: 'Caller of a request, and the permissions of the caller.' })
export class CallerIdentity {
  @Field(() => Boolean, { description: 'Always true: invalid credentials get an error.' })
  active!: boolean;

  @Field(() => String, { description: 'Kind of caller: `api_key`, `user`, `client` or `certificate`.' })
  type!: string;

  @Field(() => ID, { description: 'Id of the key, user, client or certificate.' })
  id!: string;

  @Field(() => ID)
  organizationId!: string;

  @Field(() => String, { description: 'Plan of the organization, which determines the limits.' })
  plan!: string;

  @Field(() => [String], { description: 'Permissions of the credentials as `<area>:<action>`, `<area>:*` or `*:*`.' })
  permissions!: string[];

  @Field(() => [ID], {
    nullable: true,
    description: 'Accounts that the caller is limited to (`acc_…`). Null means the whole organization.',
  })
  accounts!: string[] | null;

  @Field(() => ID, { nullable: true, description: 'Session of the user (`sess_…`). Null for other callers.' })
  sessionId!: string | null;

  @Field(() => ID, { nullable: true, description: 'OAuth client that acts for the user. Null if there is none.' })
  clientId!: string | null;

  @Field(() => Boolean, { description: 'True if the user must verify a second factor before the next operation that requires one.' })
  needsSecondFactor!: boolean;

  @Field(() => User, { nullable: true, description: 'The user. Null for other callers.' })
  user!: User | null;
}
