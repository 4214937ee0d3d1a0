import { html } from '../../../kernel/html.ts';

/** A label and what it is about the ticket: `['Status', 'in progress']`. */
export type Fact = readonly [label: string, value: string];

/** A comment as a mail shows it. */
export interface MailComment {
  author: string;
  /** As people read it, with its zone. */
  at: string;
  content: string;
}

/** A mail before it is written: text and HTML are made of the same parts, so that they say the same. */
export interface MailDocument {
  greeting: string;
  paragraphs: readonly string[];
  facts: readonly Fact[];
  comments: readonly MailComment[];
  link: string;
}

export function textOf({ greeting, paragraphs, facts, comments, link }: MailDocument): string {
  const parts = [
    greeting,
    ...paragraphs,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    ...comments.map(({ author, at, content }) => `${author}, ${at}:\n${content.replace(/^/gm, '> ')}`),
    `See the ticket: ${link}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Without scripts, styles and images of elsewhere; what stands in it is escaped. */
export function htmlOf({ greeting, paragraphs, facts, comments, link }: MailDocument): string {
  const rows = facts.map(([label, value]) => html`<tr><th align="left">${label}</th><td>${value}</td></tr>`);
  const quotes = comments.map(
    ({ author, at, content }) => html`<p>${author}, ${at}:</p><blockquote style="white-space: pre-wrap">${content}</blockquote>`,
  );
  return html`<!DOCTYPE html>
<html lang="en">
<body>
<p>${greeting}</p>
${paragraphs.map((text) => html`<p style="white-space: pre-wrap">${text}</p>`)}
<table cellpadding="4">${rows}</table>
${quotes}
<p><a href="${link}">See the ticket</a></p>
</body>
</html>
`.text;
}
