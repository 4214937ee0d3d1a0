import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { WebhookReplayInput } from './replay.inputs.ts';
import { WebhookReplay } from './replay.types.ts';

@Resolver(() => WebhookReplay)
export class ReplayResolver {
  @Mutation(() => WebhookReplay, {
    description:
      'Deliver the events of a period that did not reach the webhook. Each event is sent once, in order, with a new series of attempts. Counts against the monthly limit. Fails with INVALID_STATE if the webhook is inactive.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  replayWebhook(
    @Arg('id', () => ID, { description: 'Id of the webhook (`wh_…`).' }) id: string,
    @Arg('input', () => WebhookReplayInput, { description: 'Period and events to deliver again.' }) input: WebhookReplayInput,
    @Ctx() { replays }: EventsContext,
  ): Promise<WebhookReplay> {
    return replays.start(id, input);
  }
}
