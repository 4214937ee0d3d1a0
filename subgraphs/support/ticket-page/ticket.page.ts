import { html, type Markup } from '../../../kernel/messages/html.ts';
import { instantOf } from '../../../kernel/messages/mail-document.ts';
import { page, problem } from '../../../kernel/pages/layout.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import type { Attachment } from '../attachments/attachment.entity.ts';
import type { Comment } from '../comments/comment.entity.ts';
import type { TicketView, Visitor } from './ticket-view.ts';

/**
 * Maximum length of a reply in characters. Even if every character is percent-encoded, the reply fits into the maximum
 * size of a form.
 */
export const REPLY_LENGTH = 5_000;

export interface TicketPageParts extends TicketView {
  visitor: Visitor;
  /** Path to which the browser posts the reply form. */
  action: string;
  signOut: string;
  /** True if there are newer comments than the comments on this page. */
  hasNewer: boolean;
  /** A reply that was rejected, and the reason. */
  refused?: { reply: string; problem: string } | undefined;
}

/** Builds the web page of a ticket for its customer. */
export function ticketPage({
  ticket,
  comments,
  hasEarlier,
  attachments,
  visitor,
  action,
  signOut,
  hasNewer,
  refused,
}: TicketPageParts): string {
  const filesOf = (commentId: string | null): Markup | false =>
    filesAt(
      action,
      attachments.filter((file) => file.commentId === commentId),
    );
  return page({
    title: `${ticket.number} ${ticket.title}`,
    isWide: true,
    body: html`<h1>${ticket.title}</h1>
<dl class="facts">
<div><dt>Ticket</dt><dd>${ticket.number}</dd></div>
<div><dt>Status</dt><dd>${ticket.status.replaceAll('_', ' ')}</dd></div>
<div><dt>Opened</dt><dd>${timeOf(ticket.createdAt)}</dd></div>
${ticket.estimatedResolution && html`<div><dt>Expected to be resolved</dt><dd>${timeOf(ticket.estimatedResolution)}</dd></div>`}
</dl>
<h2>Request</h2>
<p class="said">${ticket.description}</p>
${filesOf(null)}
<h2>Conversation</h2>
${hasEarlier && html`<p class="aside"><a href="${action}?before=${comments[0]?.id}">Earlier replies</a></p>`}
${comments.length > 0 ? html`<ol class="comments">${comments.map((comment) => commentOf(comment, filesOf(comment.id)))}</ol>` : html`<p>There are no replies yet.</p>`}
${hasNewer && html`<p class="aside"><a href="${action}">Newest replies</a></p>`}
${visitor.mayReply && replyForm(action, visitor.who, refused)}
${visitor.isSignedIn && html`<form method="post" action="${signOut}" class="below"><button type="submit" class="quiet">Sign out</button></form>`}`,
  });
}

const commentOf = ({ id, author, createdAt, content }: Comment, files: Markup | false): Markup =>
  html`<li id="${id}"><p class="by"><strong>${author.name}</strong> ${timeOf(createdAt)}</p><p class="said">${content}</p>${files}</li>`;

const filesAt = (path: string, files: readonly Attachment[]): Markup | false =>
  files.length > 0 &&
  html`<ul aria-label="Files">${files.map(
    ({ id, filename, size }) => html`<li><a href="${path}/attachments/${id}" download>${filename}</a> (${sizeOf(size)})</li>`,
  )}</ul>`;

const sizeOf = (bytes: number): string => (bytes < 1024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1024)} KiB`);

const timeOf = (at: Date): Markup => html`<time datetime="${at.toISOString()}">${instantOf(at)}</time>`;

const replyForm = (action: string, who: string, refused: TicketPageParts['refused']): Markup => html`<h2 id="reply-title">Reply</h2>
${problem(refused?.problem)}
<form method="post" action="${action}" aria-labelledby="reply-title">
<div class="field"><label for="reply">Your reply</label>
<textarea id="reply" name="reply" rows="6" required maxlength="${REPLY_LENGTH}" aria-describedby="reply-hint" ${refused && html`aria-invalid="true" autofocus`}>
${refused?.reply}</textarea>
<p class="hint" id="reply-hint">You reply as ${who}. At most ${REPLY_LENGTH} characters.</p></div>
<div class="actions"><button type="submit">Send reply</button></div>
</form>`;

export const noAccessPage = (signIn: string): string =>
  messagePage({
    title: 'This link does not work any more',
    text: 'It has expired, was revoked, or is incomplete. Open the link in a newer mail about the ticket.',
    more: html`<p class="aside"><a href="${signIn}">Sign in</a> if you have a login.</p>`,
  });

/**
 * Builds the page for a reply that cannot be sent, because the visitor lost access after the form was shown. The page
 * shows the text of the reply, so that the visitor can copy the text.
 */
export const unsentPage = (signIn: string, reply: string): string =>
  page({
    title: 'Your reply was not sent',
    body: html`<h1>Your reply was not sent</h1>
<p>You are signed out, or the link in the mail is no longer valid. <a href="${signIn}">Sign in</a>, or open the link in a newer mail, and send your reply again.</p>
<div class="field"><label for="unsent">Your reply</label>
<textarea id="unsent" rows="6" readonly>
${reply}</textarea></div>`,
  });
