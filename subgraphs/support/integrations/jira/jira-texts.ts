import type { Ticket } from '../../tickets/ticket.entity.ts';
import { ticketUrls } from '../../tickets/ticket-urls.ts';
import type { ParsedComment, ParsedEvent, ParsedTicket } from '../parsed-event.ts';
import { type AdfDocument, bold, documentOf, link, paragraph, paragraphsOf, text } from './adf.ts';

const SUMMARY_LENGTH = 255;

/** Returns the summary of an issue: one line of limited length, as Jira requires. */
export function summaryOf({ number, title }: Pick<Ticket, 'number' | 'title'>): string {
  const characters = [...`${number} ${title}`.replace(/\s+/g, ' ').trim()];
  return characters.length > SUMMARY_LENGTH ? `${characters.slice(0, SUMMARY_LENGTH - 1).join('')}…` : characters.join('');
}

export function descriptionOf(ticket: Ticket, origin: string): AdfDocument {
  const { number, id, status, priority, category, contact } = ticket;
  const from = contact ? `${contact.name}${contact.email ? ` <${contact.email}>` : ''}` : undefined;
  const facts = [`Status: ${status}`, `Priority: ${priority}`, `Category: ${category}`, ...(from ? [`Contact: ${from}`] : [])];
  const head = paragraph(bold('Ticket '), link(number, ticketUrls(origin, id).customerPortal), text(`, ${facts.join(', ')}`));
  return documentOf(head, ...paragraphsOf(ticket.description));
}

/**
 * Returns the platform's mark: a link to a ticket, with the id of a comment or event as the fragment. Every comment
 * that the platform posts to Jira contains this link, so that the platform recognizes its own comments. Without `id`,
 * returns the text with which all marks of the ticket begin.
 */
export const markOf = (origin: string, ticketId: string, id = ''): string => `${ticketUrls(origin, ticketId).customerPortal}#${id}`;

export function commentText(ticket: ParsedTicket, comment: ParsedComment, origin: string): AdfDocument {
  const { author, content, attachments = [] } = comment;
  const head = paragraph(
    bold(author.name || 'Somebody'),
    text(` (${author.type}) on `),
    link(ticket.number, markOf(origin, ticket.id, comment.id)),
  );
  const files = attachments.length > 0 ? [paragraph(text(`Attachments: ${attachments.map(({ filename }) => filename).join(', ')}`))] : [];
  return documentOf(head, ...paragraphsOf(content), ...files);
}

/**
 * Builds the comment about a status change; undefined if the status did not change. The platform does not change the
 * status of the issue, because each Jira project has its own transitions.
 */
export function statusText(ticket: ParsedTicket, { id, data: { changes } }: ParsedEvent, origin: string): AdfDocument | undefined {
  const change = changes?.status;
  if (!change) return undefined;
  const mark = link(ticket.number, markOf(origin, ticket.id, id));
  return documentOf(paragraph(text('The status of '), mark, text(` changed from ${String(change.from)} to ${String(change.to)}.`)));
}
