import { ValidateBy } from 'class-validator';
import { jsonSchema } from '../../../../kernel/graphql/json-schema.ts';
import { fill, placeholdersIn } from '../../placeholders.ts';

/** Placeholders that templates may contain. */
const PLACEHOLDERS = [
  'ticket.id',
  'ticket.number',
  'ticket.title',
  'ticket.status',
  'ticket.priority',
  'ticket.severity',
  'ticket.category',
  'ticket.subcategory',
  'ticket.customer_id',
  'ticket.service_affected',
  'ticket.assigned_to',
  'ticket.escalation_level',
  'ticket.escalation_reason',
  'ticket.created_at',
  'ticket.updated_at',
  'ticket.url',
  'event.id',
  'event.name',
  'event.title',
  'event.timestamp',
  'comment.content',
  'comment.author',
  'sla.clock',
  'sla.target',
  'sla.due_at',
  'changes',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Named templates. A line is left out if one of its placeholders has no value. */
const TEMPLATES: ReadonlyMap<string, string> = new Map([
  [
    'ticket_update',
    '*{{event.title}}*\n<{{ticket.url}}|{{ticket.number}}> {{ticket.title}}\nStatus: {{ticket.status}}   Priority: {{ticket.priority}}\n{{changes}}\n{{comment.author}}: {{comment.content}}',
  ],
  ['compact', '{{event.title}}: <{{ticket.url}}|{{ticket.number}}> {{ticket.title}} ({{ticket.priority}}, {{ticket.status}})'],
  [
    'detailed',
    '*{{event.title}}*\n<{{ticket.url}}|{{ticket.number}}> {{ticket.title}}\nStatus: {{ticket.status}}   Priority: {{ticket.priority}}\nCategory: {{ticket.category}}\nSeverity: {{ticket.severity}}\nCustomer: {{ticket.customer_id}}\nService: {{ticket.service_affected}}\nEscalation: {{ticket.escalation_reason}}\n{{changes}}\nSLA: {{sla.clock}} within {{sla.target}}, due {{sla.due_at}}\n{{comment.author}}: {{comment.content}}',
  ],
]);
const DEFAULT = 'ticket_update';
const MAX_LENGTH = 2000;

/**
 * Regular expression for message templates, shown in the API documents. It matches the name of a template, or a text in
 * which double braces contain only known placeholders.
 */
const TEMPLATE_PATTERN = `^(${[...TEMPLATES.keys()].join('|')}|(?![a-z][a-z0-9_]*$)(?!\\s*$)([^{}]|\\{\\{ *(${PLACEHOLDERS.join('|').replaceAll('.', '[.]')}) *\\}\\})+)$`;

/** Returns why a template is invalid; undefined if it is valid. */
export function templateProblem(template: string): string | undefined {
  if (template.trim() === '') return 'must not be blank';
  if (template.length > MAX_LENGTH) return `may have at most ${MAX_LENGTH} characters`;
  for (const name of placeholdersIn(template)) {
    if (!PLACEHOLDERS.includes(name as Placeholder))
      return `has the unknown placeholder {{${name.slice(0, 50)}}}; the known ones are ${PLACEHOLDERS.join(', ')}`;
  }
  if (/\{\{|\}\}/.test(fill(template, () => ''))) return 'has an unmatched {{ or }}';
  if (/^[a-z][a-z0-9_]*$/.test(template) && !TEMPLATES.has(template))
    return `must be one of ${[...TEMPLATES.keys()].join(', ')}, or a text with placeholders such as {{ticket.number}}`;
  return undefined;
}

export const IsTemplate = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isTemplate',
      validator: {
        validate: (value) => value === undefined || value === null || (typeof value === 'string' && !templateProblem(value)),
        defaultMessage: (args) => templateProblem(String(args?.value)) ?? 'must be a text',
      },
    },
    jsonSchema({ minLength: 1, maxLength: MAX_LENGTH, pattern: TEMPLATE_PATTERN }),
  );

/**
 * Replaces the placeholders of a template. `value` returns the escaped text of a placeholder, or undefined if the event
 * has no value for it. In named templates, a line is left out if one of its placeholders has no value.
 */
export function fillIn(template: string | null | undefined, value: (name: Placeholder) => string | undefined): string {
  const named = TEMPLATES.get(template ?? DEFAULT);
  const filled = (line: string) => fill(line, (name) => value(name as Placeholder) ?? '');
  if (named === undefined) return filled(template ?? '').trim();
  const isTold = (line: string) => placeholdersIn(line).every((name) => value(name as Placeholder) !== undefined);
  return named.split('\n').filter(isTold).map(filled).join('\n');
}
