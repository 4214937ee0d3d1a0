import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Authenticated } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { Session } from './session.entity.ts';
import { LoginInput, RefreshInput } from './session.inputs.ts';
import { CallerIdentity, SessionTokens } from './session.values.ts';

const SessionPage = pageOf('Session', Session);

@Resolver(() => Session)
export class SessionResolver {
  @FieldResolver(() => Boolean, { description: 'True for the session of this request.' })
  current(@Root() { id }: Session, @Ctx() { principal }: IdentityContext): boolean {
    return id === principal.sessionId;
  }

  @Mutation(() => SessionTokens, {
    description:
      'Log in with e-mail address and password. After five failed attempts for one e-mail address from one IP address within 15 minutes, further attempts are rejected. IPv6 addresses of the same /64 network count as one address.',
  })
  login(
    @Arg('input', () => LoginInput, { description: 'E-mail address and password.' }) { email, password }: LoginInput,
    @Ctx() { login, client }: IdentityContext,
  ): Promise<SessionTokens> {
    return login.login(email, password, client);
  }

  @Mutation(() => SessionTokens, {
    description: 'Exchange a refresh token for new tokens. A refresh token works once; using it again ends the session.',
  })
  refreshSession(
    @Arg('input', () => RefreshInput, { description: 'Refresh token.' }) { refreshToken }: RefreshInput,
    @Ctx() { allSessions, client }: IdentityContext,
  ): Promise<SessionTokens> {
    return allSessions.refresh(refreshToken, client);
  }

  @Mutation(() => Session, { description: 'End the session of this request with all its tokens.' })
  @Authenticated()
  logout(@Ctx() { sessions }: IdentityContext): Promise<Session> {
    return sessions.logout();
  }

  @Query(() => CallerIdentity, { description: 'Get the caller of this request and the permissions of the caller.' })
  @Authenticated()
  callerIdentity(@Ctx() { sessions }: IdentityContext): Promise<CallerIdentity> {
    return sessions.identity();
  }

  @Query(() => SessionPage, {
    description: 'List your own open sessions, newest first. With `credentials:admin`, you can list the sessions of another user.',
  })
  @Authenticated()
  sessions(
    @Arg('userId', () => ID, { nullable: true, description: 'Id of the user (`user_…`). Default: the caller.' }) userId: string | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { sessions }: IdentityContext,
  ): Promise<Page<Session>> {
    return sessions.list(userId, page ?? {});
  }

  @Mutation(() => Session, {
    description:
      'End one of your own sessions. With `credentials:admin`, you can end any session of the organization. To end the session of another user, verify a second factor first if you have one or your organization requires one.',
  })
  @Authenticated()
  endSession(@Arg('id', () => ID) id: string, @Ctx() { sessions }: IdentityContext): Promise<Session> {
    return sessions.end(id);
  }
}
