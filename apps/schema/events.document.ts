import { z } from 'zod';
import type { EventType } from '../../kernel/events.ts';

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
    ...families.flatMap((family) => [`## ${family}`, '', ...types.filter((type) => type.family === family).flatMap(describe)]),
  ].join('\n');
}

function describe({ name, description, data, example }: EventType): string[] {
  return [
    `### ${name}`,
    '',
    description,
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
    '<details><summary>Schema of `data`</summary>',
    '',
    '```json',
    JSON.stringify(z.toJSONSchema(data), null, 2),
    '```',
    '',
    '</details>',
    '',
  ];
}
