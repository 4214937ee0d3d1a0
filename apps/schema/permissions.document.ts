import { type DocumentNode, type FieldDefinitionNode, Kind, parse } from 'graphql';
import type { Area, Route } from '../../rest-bridge/route.ts';

interface Guard {
  permission: string;
  secondFactor: boolean;
  isOrganizationWide: boolean;
}

/**
 * Generates docs/permissions.md from the schema and the route table. The page lists the permission that each operation
 * needs.
 */
export function permissionsDocument(supergraphSdl: string, areas: readonly Area[]): string {
  const guards = guardsIn(parse(supergraphSdl, { noLocation: true }));
  const routed = new Set(areas.flatMap(({ routes }) => routes.map(({ field }) => field)));
  return [
    '# Permissions',
    '',
    '<!-- Generated from the supergraph and the route table by `npm run schema`. -->',
    '',
    'This page lists the permission that each operation requires. The permission is the same over REST, GraphQL and WebSocket.',
    '',
    '- A permission has the form `area:action`. `write` includes `create`. `admin` and `*` include every action of their area.',
    '- *credentials*: every valid credential is enough. *none*: the operation needs no credential.',
    '- ⚿: users must verify a second factor. API keys need no second factor.',
    '- ⌂: the operation is about the whole organization. Callers that are limited to accounts are rejected.',
    '',
    ...areas.flatMap(({ tag, routes }) => [`## ${tag}`, '', ...table(routes, guards), '']),
    '## Only in GraphQL',
    '',
    '| field | permission |',
    '| --- | --- |',
    ...[...guards].filter(([name]) => !routed.has(name)).map(([name, guard]) => `| \`${name}\` | ${shown(guard)} |`),
    '',
  ].join('\n');
}

const table = (routes: readonly Route[], guards: ReadonlyMap<string, Guard>): string[] => [
  '| operation | route | GraphQL | permission |',
  '| --- | --- | --- | --- |',
  ...routes.map(
    ({ operationId, method, path, field }) => `| ${operationId} | \`${method} ${path}\` | \`${field}\` | ${shown(guards.get(field))} |`,
  ),
];

const shown = (guard: Guard | undefined): string =>
  guard ? `${guard.permission}${guard.secondFactor ? ' ⚿' : ''}${guard.isOrganizationWide ? ' ⌂' : ''}` : '*none*';

const ROOTS = ['Query', 'Mutation', 'Subscription'];

function guardsIn({ definitions }: DocumentNode): Map<string, Guard> {
  const fields = definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && ROOTS.includes(definition.name.value) ? (definition.fields ?? []) : [],
  );
  return new Map(fields.map((field) => [field.name.value, guardOf(field)]));
}

function guardOf({ directives = [] }: FieldDefinitionNode): Guard {
  const named = (name: string) => directives.find((directive) => directive.name.value === name);
  const scopes = [...JSON.stringify(named('requiresScopes')?.arguments ?? '').matchAll(/"value":"([a-z]+\.[a-z]+)"/g)];
  const open = named('authenticated') ? '*credentials*' : '*none*';
  const policies = JSON.stringify(named('policy')?.arguments ?? '');
  return {
    permission: scopes.map(([, scope = '']) => `\`${scope.replace('.', ':')}\``).join(' and ') || open,
    secondFactor: policies.includes('"second_factor"'),
    isOrganizationWide: policies.includes('"organization"'),
  };
}
