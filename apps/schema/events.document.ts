import type { EventType } from '../../kernel/events/events.ts';
import { jsonSchemaOf } from '../../kernel/events/events.ts';

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | false;
  items?: Schema;
  anyOf?: Schema[];
}

/** Generates docs/events.md from the event types that the domains declare. */
export function eventsDocument(types: readonly EventType[]): string {
  const families = [...new Set(types.map(({ family }) => family))];
  return [
    '# Events',
    '',
    '<!-- Generated from the event types of the domains by `npm run schema`. -->',
    '',
    'Webhooks and GraphQL subscriptions get the same events, in the envelope',
    '`{"id", "event", "timestamp", "organization_id", "data"}`. The body of a webhook also has `"signature"` at its end. A pattern matches',
    '`name` or `family.name`, such as `ticket.*`, `support.ticket.*` or `*`.',
    '',
    'This page lists the fields of `data` for each event, with an example. `GET /v1/webhooks/events` returns the JSON Schema of the whole body.',
    'Every listed field is sent; it is `null` if it has no value. Fields may be added. None is removed, and none changes its meaning. You can',
    'subscribe to events that are *announced*, but they are not sent yet.',
    '',
    ...families.flatMap((family) => [`## ${family}`, '', ...types.filter((type) => type.family === family).flatMap(describe)]),
  ].join('\n');
}

const describe = ({ name, description, requires, data, example, isEmitted }: EventType): string[] => [
  `### ${name}`,
  '',
  isEmitted ? description : `*Announced.* ${description}`,
  '',
  ...(requires ? [`Needs \`${requires}\`, and is covered by its own name only, by no wildcard.`, ''] : []),
  '| field | value |',
  '| --- | --- |',
  ...membersOf('', jsonSchemaOf(data)),
  '',
  '<details><summary>Example</summary>',
  '',
  '```json',
  JSON.stringify(example, null, 2),
  '```',
  '',
  '</details>',
  '',
];

/**
 * Returns a table row for each field of a payload. The row contains the path of the field. A field that contains other
 * fields has no row.
 */
function membersOf(path: string, { properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = path ? `${path}.${name}` : name;
    if (schema.properties) return membersOf(inner, schema);
    if (schema.items?.properties) return membersOf(`${inner}[]`, schema.items);
    const described = schema.description ? `. ${schema.description}` : '';
    return [`| \`${inner}\` | ${kindOf(schema)}${described} |`];
  });
}

function kindOf(schema: Schema): string {
  const { type, format, const: only, enum: choices, anyOf, items, additionalProperties } = schema;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (anyOf) return anyOf.map(kindOf).join(' or ');
  if (items) return `list of ${kindOf(items)}`;
  if (additionalProperties) return 'for each member that changed, `from` and `to`';
  if (format === 'date-time') return 'instant';
  return [type ?? 'anything'].flat().join(' or ');
}
