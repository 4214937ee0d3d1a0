import { html } from '../../../kernel/messages/html.ts';

/** A label and what it is about the ticket: `['Status', 'in progress']`. */
export type Fact = readonly [label: string, value: string];

/** A comment as a mail shows it. */
export interface MailComment {
  author: string;
  /** As people read it, with its zone. */
  at: string;
  content: string;
}

/** A mail before it is written, but for the greeting: text and HTML are made of the same parts, so that they say the same. */
export interface MailDocument {
  paragraphs: readonly string[];
  facts: readonly Fact[];
  comments: readonly MailComment[];
  link: { label: string; url: string };
}

const greetingOf = (name: string | null): string => (name ? `Hello ${name},` : 'Hello,');

export function textOf({ paragraphs, facts, comments, link }: MailDocument, recipientName: string | null): string {
  const parts = [
    greetingOf(recipientName),
    ...paragraphs,
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...comments.map(({ author, at, content }) => `${author}, ${at}:\n${content.replace(/^/gm, '> ')}`),
    `${link.label}: ${link.url}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Without scripts, styles and images of elsewhere; what stands in it is escaped. */
export function htmlOf({ paragraphs, facts, comments, link }: MailDocument, recipientName: string | null): string {
  const rows = facts.map(([label, value]) => html`<tr><th align="left">${label}</th><td>${value}</td></tr>`);
  const quotes = comments.map(
    ({ author, at, content }) => html`<p>${author}, ${at}:</p><blockquote style="white-space: pre-wrap">${content}</blockquote>`,
  );
  return html`<!DOCTYPE html>
<html lang="en">
<body>
<p>${greetingOf(recipientName)}</p>
${paragraphs.map((text) => html`<p style="white-space: pre-wrap">${text}</p>`)}
${rows.length > 0 ? html`<table cellpadding="4">${rows}</table>` : ''}
${quotes}
<p><a href="${link.url}">${link.label}</a></p>
</body>
</html>
`.text;
}
