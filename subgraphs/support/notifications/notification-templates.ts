/**
 * Subject and first paragraphs of a mail about a ticket. `mailOf` replaces the placeholders in them, and adds the facts
 * about the ticket below the paragraphs.
 */
export interface MailTemplate {
  subject: string;
  paragraphs: readonly string[];
}

const NAMED = 'your ticket {{ticket.number}}, “{{ticket.title}}”';

/** Mail templates by name. */
export const MAIL_TEMPLATES = {
  ticket_created: {
    subject: '[{{ticket.number}}] Received: {{ticket.title}}',
    paragraphs: [`we have received ${NAMED}. An agent will look at it and get back to you.`],
  },
  ticket_update: {
    subject: '[{{ticket.number}}] Update: {{ticket.title}}',
    paragraphs: [`there is news about ${NAMED}.`],
  },
  ticket_escalated: {
    subject: '[{{ticket.number}}] Escalated: {{ticket.title}}',
    paragraphs: ['the ticket {{ticket.number}}, “{{ticket.title}}”, was escalated.'],
  },
  ticket_resolved: {
    subject: '[{{ticket.number}}] Resolved: {{ticket.title}}',
    paragraphs: [`${NAMED}, is resolved. If the problem is not solved, reply on the page of the ticket.`],
  },
  /** Mail to the addresses in a routing rule that matched a new ticket. */
  ticket_routed: {
    subject: '[{{ticket.number}}] New ticket: {{ticket.title}}',
    paragraphs: ['the ticket {{ticket.number}}, “{{ticket.title}}”, was created, and a routing rule notifies you of it.'],
  },
  /** Mail to the customer, sent at the interval that a routing rule states. */
  scheduled_update: {
    subject: '[{{ticket.number}}] We are working on it: {{ticket.title}}',
    paragraphs: [`we are still working on ${NAMED}. You will receive further updates until it is resolved.`],
  },
} as const satisfies Record<string, MailTemplate>;

export type TemplateName = keyof typeof MAIL_TEMPLATES;
export const TEMPLATE_NAMES = Object.keys(MAIL_TEMPLATES) as TemplateName[];
export const isTemplateName = (name: string): name is TemplateName => Object.hasOwn(MAIL_TEMPLATES, name);
