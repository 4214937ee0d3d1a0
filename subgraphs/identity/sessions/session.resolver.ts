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
  @FieldResolver(() => Boolean, { description: 'Whether it is the one that asks.' })
  current(@Root() { id }: Session, @Ctx() { principal }: IdentityContext): boolean {
    return id === principal.sessionId;
  }

  @Mutation(() => SessionTokens, { description: 'Needs no credentials.' })
  login(
    @Arg('input', () => LoginInput) { email, password }: LoginInput,
    @Ctx() { login, client }: IdentityContext,
  ): Promise<SessionTokens> {
    return login.login(email, password, client);
  }

  @Mutation(() => SessionTokens, { description: 'Needs no credentials but the refresh token, which works once.' })
  refreshSession(
    @Arg('input', () => RefreshInput) { refreshToken }: RefreshInput,
    @Ctx() { allSessions, client }: IdentityContext,
  ): Promise<SessionTokens> {
    return allSessions.refresh(refreshToken, client);
  }

  @Mutation(() => Session, { description: 'Ends the session of this request, and all tokens of it.' })
  @Authenticated()
  logout(@Ctx() { sessions }: IdentityContext): Promise<Session> {
    return sessions.logout();
  }

  @Query(() => CallerIdentity)
  @Authenticated()
  callerIdentity(@Ctx() { sessions }: IdentityContext): Promise<CallerIdentity> {
    return sessions.identity();
  }

  @Query(() => SessionPage, { description: "The caller's own open sessions; another user's for who may administer credentials." })
  @Authenticated()
  sessions(
    @Arg('userId', () => ID, { nullable: true }) userId: string | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { sessions }: IdentityContext,
  ): Promise<Page<Session>> {
    return sessions.list(userId, page ?? {});
  }

  @Mutation(() => Session, {
    description:
      "Ends one of the caller's own sessions. Callers with `credentials:admin` end any session of the organization, which requires a second factor of users.",
  })
  @Authenticated()
  endSession(@Arg('id', () => ID) id: string, @Ctx() { sessions }: IdentityContext): Promise<Session> {
    return sessions.end(id);
  }
}
