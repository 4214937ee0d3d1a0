import { Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { RateLimitUsage } from './usage.types.ts';

@Resolver()
export class UsageResolver {
  @Query(() => RateLimitUsage, { description: 'Get the usage of the limits of the caller and of the organization.' })
  @Requires('monitoring:read', { scope: 'open' })
  rateLimitUsage(@Ctx() { usage }: IdentityContext): Promise<RateLimitUsage> {
    return usage.own();
  }
}
