import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { SupportContext } from '../context.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { shownTo } from '../visibility.ts';
import { Attachment, downloadUrlOf } from './attachment.entity.ts';

@Resolver(() => Attachment)
export class AttachmentResolver {
  @FieldResolver(() => String, {
    description: 'Address of the content. Request it by GET with the same credentials; it needs `support:read`.',
  })
  downloadUrl(@Root() attachment: Attachment, @Ctx() { origin }: SupportContext): string {
    return downloadUrlOf(origin, attachment);
  }
}

@Resolver(() => Ticket)
export class TicketAttachmentsResolver {
  @FieldResolver(() => [Attachment], { description: 'Files of the ticket and its comments, newest first.' })
  async attachments(
    @Root() { id, hasAttachments, attachments }: Ticket,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders, principal }: SupportContext,
  ): Promise<readonly Attachment[]> {
    const count = relationLimit(limit);
    if (!hasAttachments) return [];
    return attachments?.slice(0, count) ?? loaders.attachments.newest('ticketId', id, count, shownTo(principal));
  }
}
