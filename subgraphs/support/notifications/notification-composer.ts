import { asSubject, type Fact, instantOf, type MailComment, type MailDocument } from '../../../kernel/messages/mail-document.ts';
import { fill } from '../placeholders.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { ticketUrls } from '../tickets/ticket-urls.ts';
import { MAIL_TEMPLATES, type TemplateName } from './notification-templates.ts';

/** Parts of a mail about a ticket, in addition to the ticket itself. */
export interface MailParts {
  template: TemplateName;
  /** Subject that is used instead of the template's subject. May contain placeholders. */
  subject?: string | undefined;
  /**
   * Values of variables by name. The values replace placeholders in the subject, and the mail lists them. The variable
   * `message` is not listed, but becomes a paragraph.
   */
  variables?: ReadonlyMap<string, string>;
  comments?: readonly MailComment[];
}

export interface ComposedMail {
  subject: string;
  document: MailDocument;
}

/** Name of the variable that becomes a paragraph instead of a list entry. */
const MESSAGE = 'message';

/** Placeholders that have a value in every mail about a ticket. */
export const TICKET_PLACEHOLDERS = ['ticket.number', 'ticket.title', 'ticket.status', 'ticket.priority', 'ticket.category'] as const;

/** Composes a mail about a ticket in its current state. */
export function mailOf(ticket: Ticket, origin: string, parts: MailParts): ComposedMail {
  const { subject, paragraphs } = MAIL_TEMPLATES[parts.template];
  const { variables = new Map<string, string>(), comments = [] } = parts;
  const values = new Map([...variables, ...ticketValues(ticket)]);
  const textFor = (name: string): string | undefined => values.get(name);
  const message = variables.get(MESSAGE);
  const document = {
    paragraphs: [...paragraphs.map((text) => fill(text, textFor)), ...(message ? [message] : [])],
    facts: [
      ...factsOf(ticket),
      ...[...variables].filter(([name]) => name !== MESSAGE).map(([name, value]): Fact => [labelOf(name), value]),
    ],
    comments,
    link: { label: 'See the ticket', url: ticketUrls(origin, ticket.id).customerPortal },
  };
  return { subject: asSubject(fill(parts.subject ?? subject, textFor)), document };
}

const ticketValues = ({ number, title, status, priority, category }: Ticket): [(typeof TICKET_PLACEHOLDERS)[number], string][] => [
  ['ticket.number', number],
  ['ticket.title', title],
  ['ticket.status', wordsOf(status)],
  ['ticket.priority', priority],
  ['ticket.category', category],
];

const factsOf = ({ number, title, status, priority, estimatedResolution }: Ticket): Fact[] => [
  ['Ticket', number],
  ['Title', title],
  ['Status', wordsOf(status)],
  ['Priority', priority],
  ...(estimatedResolution ? [['Expected to be resolved', instantOf(estimatedResolution)] as const] : []),
];

/** Converts a name such as `in_progress` to words: `in progress`. */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ');
/** Converts a name such as `next_update` to a label: `Next update`. */
const labelOf = (name: string): string => {
  const words = wordsOf(name).replaceAll('.', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
