import type { OpenApiDocument } from '../../rest-bridge/openapi/document.ts';

/** The areas of the specification, with the number of their operations and their path prefixes. */
const AREAS = [
  { name: 'Credentials', specified: 12, paths: ['/auth'] },
  { name: 'Accounts and users', specified: 9, paths: ['/accounts'] },
  { name: 'Services', specified: 27, paths: ['/services'] },
  { name: 'Connectivity', specified: 13, paths: ['/connectivity'] },
  { name: 'Voice', specified: 13, paths: ['/voice'] },
  { name: 'Cloud', specified: 16, paths: ['/cloud', '/services/cloud'] },
  { name: 'Security', specified: 16, paths: ['/security', '/services/security'] },
  { name: 'AI', specified: 10, paths: ['/ai', '/services/ai'] },
  { name: 'Billing', specified: 20, paths: ['/billing'] },
  { name: 'Monitoring', specified: 12, paths: ['/monitoring'] },
  { name: 'Analytics', specified: 5, paths: ['/analytics'] },
  { name: 'Support', specified: 22, paths: ['/support', '/attachments'] },
  { name: 'Webhooks', specified: 8, paths: ['/webhooks'] },
  { name: 'OAuth 2.0', specified: 6, paths: ['/oauth', '/.well-known'] },
  { name: 'SAML', specified: 3, paths: ['/saml'] },
];

/**
 * Returns a table row for each area, with the number of specified operations in the area, and how many of them are
 * implemented.
 * @throws Error if an operation is in no area, or if more operations of an area are implemented than specified
 */
export function areaRows({ paths }: Pick<OpenApiDocument, 'paths'>): string[] {
  const built = new Map<string, number>();
  for (const [path, operations] of Object.entries(paths)) {
    const specified = Object.values(operations).filter((operation) => !operation['x-addition']);
    if (specified.length === 0) continue;
    const area = areaOf(path);
    if (!area) throw new Error(`${path} is in no area of the specification: mark its operations as additions.`);
    built.set(area, (built.get(area) ?? 0) + specified.length);
  }
  for (const { name, specified } of AREAS)
    if ((built.get(name) ?? 0) > specified)
      throw new Error(`${name} has ${built.get(name)} operations, but only ${specified} are specified.`);
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  return [
    '| area | built | specified |',
    '| --- | ---: | ---: |',
    ...AREAS.map(({ name, specified }) => `| ${name} | ${built.get(name) ?? 0} | ${specified} |`),
    `| **all** | **${sum([...built.values()])}** | **${sum(AREAS.map(({ specified }) => specified))}** |`,
  ];
}

/** Returns the name of the area with the longest path prefix that matches `path`, or undefined if none matches. */
function areaOf(path: string): string | undefined {
  const matches = AREAS.flatMap(({ name, paths }) => paths.map((start) => ({ name, start }))).filter(
    ({ start }) => path.startsWith(`${start}/`) || path === start,
  );
  return matches.sort((one, other) => other.start.length - one.start.length)[0]?.name;
}
