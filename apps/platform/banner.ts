import type { Platform } from './platform.ts';

/** What a started platform says: where its surfaces are, and at the very first start who may use them. */
export function banner({ origin, firstAdministrator }: Platform): string {
  const addresses = [
    ['REST', `${origin}/v1`],
    ['OpenAPI', `${origin}/v1/openapi.json`],
    ['Docs', `${origin}/docs`],
    ['GraphQL', `${origin}/graphql`],
    ['WebSocket', `${origin.replace(/^http/, 'ws')}/graphql`],
  ];
  const lines = ['', 'The platform is up.', '', ...addresses.map(row), ''];
  if (!firstAdministrator) return lines.join('\n');

  const { organization, email, password, apiKey, clientId, clientSecret } = firstAdministrator;
  const access = [
    ['Organization', organization],
    ['E-mail', email],
    ['Password', password],
    ['API key', apiKey],
    ['OAuth client', clientId],
    ['Its secret', clientSecret],
  ];
  return [
    ...lines,
    'First start: keep these, they are not shown again.',
    '',
    ...access.map(row),
    '',
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${apiKey}' ${origin}/v1/support/tickets`,
    '',
  ].join('\n');
}

const row = ([name = '', value = '']: string[]): string => `  ${name.padEnd(14)}${value}`;
