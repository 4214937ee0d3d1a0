import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { SupportContext } from '../context.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { Escalation } from './escalation.entity.ts';
import { EscalationInput } from './escalation.inputs.ts';

@Resolver(() => Ticket)
export class EscalationResolver {
  @Mutation(() => Ticket, {
    description: 'Escalate a ticket. Fails with INVALID_STATE if it is resolved, or already has this level or a higher level.',
  })
  @Requires('support:write')
  escalateTicket(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => EscalationInput, { description: 'Level, reason and people to notify.' }) input: EscalationInput,
    @Ctx() { escalations }: SupportContext,
  ): Promise<Ticket> {
    return escalations.escalate(id, input);
  }

  @FieldResolver(() => [Escalation], { description: 'Escalations, newest first. For callers with `support:write`.' })
  @Requires('support:write')
  @ReadsFields('id')
  escalations(
    @Root() { id }: Pick<Ticket, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { escalations }: SupportContext,
  ): Promise<Escalation[]> {
    return escalations.of(id, relationLimit(limit));
  }
}
