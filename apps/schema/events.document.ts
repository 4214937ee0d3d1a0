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

/** docs/events.md, from the types that the domains declare. */
export function eventsDocument(types: readonly EventType[]): string {
  const families = [...new Set(types.map(({ family }) => family))];
  return [
    '# Events',
    '',
    '<!-- Generated from the event types of the domains by `npm run schema`. -->',
    '',
    'Delivered to webhook subscriptions and over GraphQL subscriptions alike, in the envelope',
    '`{"id", "event", "timestamp", "organization_id", "data"}`; a webhook’s body ends with `"signature"`. Patterns match `name` and',
    '`family.name`: `ticket.*`, `support.ticket.*`, `*`.',
    '',
    'Below are the members of `data`, and an example of it; `GET /v1/webhooks/events` has the JSON Schema of the whole body. Every',
    'member that is listed is sent, as `null` where it has no value. Members may be added; none is removed or changes its meaning.',
    'Events that are *announced* can be subscribed to and are not sent yet.',
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
  '| member | value |',
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

/** A line for each member that has none of its own, with the path to it. */
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
