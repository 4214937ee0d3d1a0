import { html } from './html.ts';
import type { Mail } from './mail.ts';

/** A label and a value, such as `['Status', 'in progress']`. */
export type Fact = readonly [label: string, value: string];

/** A comment as shown in a mail. */
export interface MailComment {
  author: string;
  /** The formatted time of the comment, with its time zone. */
  at: string;
  content: string;
}

/**
 * The content of a mail without the greeting. Text and HTML are generated from the same parts, so both have the same
 * content.
 */
export interface MailDocument {
  paragraphs: readonly string[];
  facts?: readonly Fact[];
  comments?: readonly MailComment[];
  link?: { label: string; url: string };
}

export interface Recipient {
  email: string;
  name: string | null;
}

const SUBJECT_LENGTH = 255;

/** Creates a mail with a greeting. */
export function mailTo({ email, name }: Recipient, subject: string, document: MailDocument): Mail {
  const text = textOf(document, name);
  return { to: email, ...(name && { toName: name }), subject: asSubject(subject), text, html: htmlOf(document, name) };
}

/** Converts a title or name to a single line, so that it cannot inject a mail header. */
export function asSubject(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > SUBJECT_LENGTH ? `${[...line].slice(0, SUBJECT_LENGTH - 1).join('')}…` : line;
}

/** Formats a timestamp: `2026-01-31 09:30 UTC`. */
export const instantOf = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const greetingOf = (name: string | null): string => (name ? `Hello ${name},` : 'Hello,');

export function textOf({ paragraphs, facts = [], comments = [], link }: MailDocument, recipientName: string | null): string {
  const parts = [
    greetingOf(recipientName),
    ...paragraphs,
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...comments.map(({ author, at, content }) => `${author}, ${at}:\n${content.replace(/^/gm, '> ')}`),
    ...(link ? [`${link.label}: ${link.url}`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Creates the HTML of a mail. It contains no scripts, and no external styles or images. Values are escaped. */
export function htmlOf({ paragraphs, facts = [], comments = [], link }: MailDocument, recipientName: string | null): string {
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
${link ? html`<p><a href="${link.url}">${link.label}</a></p>` : ''}
</body>
</html>
`.text;
}
