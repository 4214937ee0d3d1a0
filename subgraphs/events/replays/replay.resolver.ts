import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { WebhookReplayInput } from './replay.inputs.ts';
import { WebhookReplay } from './replay.types.ts';

@Resolver(() => WebhookReplay)
export class ReplayResolver {
  @Mutation(() => WebhookReplay, {
    description:
      'Delivers what the webhook wants, was logged in a time, and did not reach it: each event once, in order, with all attempts anew. Counts against the month like any delivery. INVALID_STATE where the webhook is inactive.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  replayWebhook(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => WebhookReplayInput) input: WebhookReplayInput,
    @Ctx() { replays }: EventsContext,
  ): Promise<WebhookReplay> {
    return replays.start(id, input);
  }
}
