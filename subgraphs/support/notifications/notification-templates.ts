/** What a mail says of a ticket, before the facts that stand in each. Placeholders: docs of `mailOf`. */
export interface MailTemplate {
  subject: string;
  paragraphs: readonly string[];
}

const NAMED = 'your ticket {{ticket.number}}, “{{ticket.title}}”';

/** The templates that there are, by the name that callers give. */
export const MAIL_TEMPLATES = {
  ticket_created: {
    subject: '[{{ticket.number}}] We have received: {{ticket.title}}',
    paragraphs: [`we have received ${NAMED}. Somebody will look at it and get back to you.`],
  },
  ticket_update: {
    subject: '[{{ticket.number}}] Update: {{ticket.title}}',
    paragraphs: [`there is news about ${NAMED}.`],
  },
  ticket_escalated: {
    subject: '[{{ticket.number}}] Escalated: {{ticket.title}}',
    paragraphs: ['the ticket {{ticket.number}}, “{{ticket.title}}”, was escalated, so that it gets the attention that it needs.'],
  },
  ticket_resolved: {
    subject: '[{{ticket.number}}] Resolved: {{ticket.title}}',
    paragraphs: [`${NAMED}, is resolved. If something is still not as it should be, tell us there.`],
  },
  /** What a routing rule sends to those whom it names. */
  ticket_routed: {
    subject: '[{{ticket.number}}] New ticket: {{ticket.title}}',
    paragraphs: ['the ticket {{ticket.number}}, “{{ticket.title}}”, was opened and routed by a rule that names you.'],
  },
  /** What a routing rule sends to the customer every so often. */
  scheduled_update: {
    subject: '[{{ticket.number}}] We are working on it: {{ticket.title}}',
    paragraphs: [`we are still working on ${NAMED}. You will hear from us again as long as it is not resolved.`],
  },
} as const satisfies Record<string, MailTemplate>;

export type TemplateName = keyof typeof MAIL_TEMPLATES;
export const TEMPLATE_NAMES = Object.keys(MAIL_TEMPLATES) as TemplateName[];
export const isTemplateName = (name: string): name is TemplateName => Object.hasOwn(MAIL_TEMPLATES, name);
