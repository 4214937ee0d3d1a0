import type { Platform } from './platform.ts';

/**
 * Returns the text that is printed after the start: the addresses of the APIs and pages. At the first start, it also
 * contains the credentials of the first administrator.
 */
export function banner({ origin, firstAdministrator }: Platform): string {
  const addresses = [
    ['REST', `${origin}/v1`],
    ['OpenAPI', `${origin}/v1/openapi.json`],
    ['Guide', `${origin}/docs/guide`],
    ['Reference', `${origin}/docs`],
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
    ['Client secret', clientSecret],
  ];
  return [
    ...lines,
    'First start: store these credentials. They are not shown again.',
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
