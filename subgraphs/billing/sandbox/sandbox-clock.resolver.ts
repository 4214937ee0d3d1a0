import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { BillingContext } from '../context.ts';
import { SandboxClock } from './sandbox-clock.types.ts';

@Resolver(() => SandboxClock)
export class SandboxClockResolver {
  @Query(() => SandboxClock, { description: 'Get the clock that billing uses for your organization. Only for organizations in a sandbox.' })
  @Requires('billing:read', { scope: 'organization' })
  sandboxClock(@Ctx() { sandboxClock }: BillingContext): Promise<SandboxClock> {
    return sandboxClock.find();
  }

  @Mutation(() => SandboxClock, {
    description:
      'Advance the clock that billing uses for your organization. Only for organizations in a sandbox. Everything that becomes due until `to` is processed at its due time: invoices, payments, reminders and suspensions. Meanwhile the status is `ADVANCING`, and changes of billing are refused. Afterwards the time stands still until you advance it again.',
  })
  @Requires('billing:admin', { scope: 'organization' })
  advanceSandboxClock(
    @Arg('to', () => Date, {
      description:
        'The new time: after the current time, and at most 5 years later. An organization without records in billing may begin in the past, from 2000-01-01.',
    })
    to: Date,
    @Ctx() { sandboxClock }: BillingContext,
  ): Promise<SandboxClock> {
    return sandboxClock.advance(to);
  }
}
