import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import type { Valid } from '../../../kernel/graphql/rule.ts';
import { placeholdersIn } from '../placeholders.ts';
import type { NotificationInput, NotificationRecipientInput } from './notification.inputs.ts';
import { CommentFilter, NotificationType } from './notification.states.ts';
import { TICKET_PLACEHOLDERS } from './notification-composer.ts';
import type { Contact } from './notification-sender.ts';
import { isTemplateName, TEMPLATE_NAMES, type TemplateName } from './notification-templates.ts';

/** A valid notification request: an e-mail or an SMS. */
export type NotificationRequest = EmailRequest | { type: NotificationType.SMS; contacts: Contact[]; message: string };

export interface EmailRequest {
  type: NotificationType.EMAIL;
  contacts: Contact[];
  template: TemplateName;
  subject?: string | undefined;
  variables: Map<string, string>;
  /** Selection of the comments that the mail contains. Null if it contains no comments. */
  commentFilter: CommentFilter | null;
}

const MAX_VARIABLES = 50;
const VARIABLE_NAME = /^[A-Za-z][\w.]{0,49}$/;
const VARIABLE_LENGTH = 5_000;
/** Maximum total length of the names and values of all variables. */
const VARIABLES_LENGTH = 20_000;

/** Properties that only e-mail requests may have. */
const ONLY_EMAIL = ['template', 'subject', 'variables', 'includeComments', 'commentFilter'] as const;

type Asked = Valid<NotificationInput>;

/** Returns a problem for each property that is missing, invalid, or not allowed for the type of the notification. */
export function requestProblems(input: Asked): FieldProblem[] {
  if (!input.type) return [];
  return input.type === NotificationType.EMAIL ? problemsOfEmail(input) : problemsOfSms(input);
}

export function requestOf(input: NotificationInput): NotificationRequest {
  const contacts = contactsOf(input);
  if (input.type === NotificationType.SMS) return { type: input.type, contacts, message: input.message ?? '' };
  const template = input.template ?? 'ticket_update';
  return {
    type: input.type,
    contacts,
    template: template as TemplateName,
    subject: input.subject ?? undefined,
    variables: variablesOf(input),
    commentFilter: input.includeComments ? (input.commentFilter ?? CommentFilter.CUSTOMER_VISIBLE) : null,
  };
}

function problemsOfEmail({ recipients = [], template, subject, variables, message }: Asked): FieldProblem[] {
  const names = Object.keys(variables ?? {});
  const known = new Set<string>([...TICKET_PLACEHOLDERS, ...names]);
  return [
    ...recipients.flatMap((recipient, index) => [
      ...(present(recipient?.email) ? [] : [{ field: `recipients.${index}.email`, reason: 'is required for an e-mail' }]),
      ...(present(recipient?.phone) ? [onlyFor(`recipients.${index}.phone`, 'an SMS')] : []),
    ]),
    ...(present(message) ? [onlyFor('message', 'an SMS; for an e-mail, use variables.message')] : []),
    ...(present(template) && !isTemplateName(template)
      ? [{ field: 'template', value: template, reason: `must be one of ${TEMPLATE_NAMES.join(', ')}` }]
      : []),
    ...placeholdersIn(subject ?? '')
      .filter((name) => !known.has(name))
      .map((name) => ({
        field: 'subject',
        value: subject,
        reason: `has the unknown placeholder {{${name}}}; the known ones are ${[...known].join(', ')}`,
      })),
    ...(names.length > MAX_VARIABLES ? [{ field: 'variables', reason: `may have at most ${MAX_VARIABLES} entries` }] : []),
    ...(lengthOf(variables ?? {}) > VARIABLES_LENGTH
      ? [{ field: 'variables', reason: `may have at most ${VARIABLES_LENGTH} characters in all` }]
      : []),
    ...Object.entries(variables ?? {})
      .slice(0, MAX_VARIABLES)
      .flatMap(([name, value]) => problemsOfVariable(name, value)),
  ];
}

function problemsOfSms({ recipients = [], ...input }: Asked): FieldProblem[] {
  return [
    ...recipients.flatMap((recipient, index) => [
      ...(present(recipient?.phone) ? [] : [{ field: `recipients.${index}.phone`, reason: 'is required for an SMS' }]),
      ...(['email', 'role'] as const)
        .filter((name) => present(recipient?.[name]))
        .map((name) => onlyFor(`recipients.${index}.${name}`, 'an e-mail')),
    ]),
    ...(present(input.message) ? [] : [{ field: 'message', reason: 'is required for an SMS' }]),
    ...ONLY_EMAIL.filter((name) => present(input[name])).map((name) => onlyFor(name, 'an e-mail')),
  ];
}

function problemsOfVariable(name: string, value: unknown): FieldProblem[] {
  const field = `variables.${name}`;
  if (!VARIABLE_NAME.test(name))
    return [{ field, reason: 'must have a name of at most 50 letters, digits, dots and underscores, beginning with a letter' }];
  if (name.startsWith('ticket.')) return [{ field, reason: 'is set by the platform; use another name' }];
  if (typeof value === 'number' || typeof value === 'boolean') return [];
  if (typeof value === 'string' && value.length <= VARIABLE_LENGTH) return [];
  return [{ field, value, reason: `must be a text of at most ${VARIABLE_LENGTH} characters, a number or a boolean` }];
}

/** Returns the total length of all names and text values. Numbers and booleans are short and not counted. */
const lengthOf = (variables: Record<string, unknown>): number =>
  Object.entries(variables).reduce((sum, [name, value]) => sum + name.length + (typeof value === 'string' ? value.length : 0), 0);

const present = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;
const onlyFor = (field: string, form: string): FieldProblem => ({ field, reason: `is only allowed for ${form}` });

const variablesOf = ({ variables }: NotificationInput): Map<string, string> =>
  new Map(Object.entries(variables ?? {}).map(([name, value]) => [name, String(value)]));

/** Returns the contacts without duplicate addresses. If an address occurs several times, its first entry is used. */
function contactsOf({ type, recipients }: NotificationInput): Contact[] {
  const addressOf = ({ email, phone }: NotificationRecipientInput): string => (type === NotificationType.EMAIL ? email : phone) ?? '';
  const byAddress = new Map<string, Contact>();
  for (const recipient of recipients) {
    const address = addressOf(recipient);
    const key = address.toLowerCase();
    if (!byAddress.has(key)) byAddress.set(key, { address, name: recipient.name, role: recipient.role });
  }
  return [...byAddress.values()];
}
