import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import { loadConfig } from '../../kernel/settings/config.ts';
import { describeRest } from '../../rest-bridge/mount.ts';
import { allPermissionsIn, policiesIn } from '../../rest-bridge/permission.ts';
import { apiSdl } from '../../router/schema-file.ts';
import { assemble } from '../platform/assemble.ts';
import { configMarkdown, envExample } from '../platform/command-line.ts';
import { restAreas, restSurface } from '../platform/rest-areas.ts';
import { STEPS } from '../platform/schemas.ts';
import { areaRows } from './areas.document.ts';
import { errorCodeRows } from './errors.document.ts';
import { eventsDocument } from './events.document.ts';
import { planRows, restToGraphqlRows } from './guide.document.ts';
import { migrationsDocument } from './migrations.document.ts';
import { permissionsDocument } from './permissions.document.ts';
import { withSections } from './sections.ts';

const MIGRATIONS = 'schema/migrations.json';

/**
 * Generates all documents. Returns the text of each document by its path in the repository. `committed` returns the
 * committed text of the file at a path.
 */
export async function generateDocuments(committed: (path: string) => string | undefined): Promise<Map<string, string>> {
  const migrations = migrationsDocument(STEPS, committed(MIGRATIONS));
  const section = (path: string, sections: Parameters<typeof withSections>[1]): [string, string] => [
    path,
    withSections(committed(path) ?? '', sections),
  ];
  using folder = mkdtempDisposableSync(join(tmpdir(), 'schema-'));
  const config = loadConfig({ DATA_DIR: folder.path });
  const log = createLogger({ level: 'silent' });
  const foundation = {
    config,
    secretKeys: ['x'.repeat(32)] as const,
    origin: 'http://127.0.0.1:4000',
    clock: systemClock,
    log,
    metrics: createMetrics(),
    redis: undefined,
  };
  const { domains, router, eventTypes, close } = await assemble(foundation);
  try {
    const openapi = await describeRest({
      schema: router.schema,
      ...restSurface({}, eventTypes),
      permissionOf: allPermissionsIn(router.supergraphSdl),
      hasPolicy: policiesIn(router.supergraphSdl),
    });
    return new Map([
      ...Object.values(domains).map(({ subgraph }) => [`schema/${subgraph.name}.graphql`, `${subgraph.sdl.trim()}\n`] as const),
      ['schema/supergraph.graphql', `${router.supergraphSdl.trim()}\n`],
      ['schema/api.graphql', `${apiSdl(router.apiSchema)}\n`],
      ['schema/openapi.json', `${JSON.stringify(openapi, null, 2)}\n`],
      [MIGRATIONS, migrations],
      ['.env.example', envExample()],
      ['docs/config.md', configMarkdown()],
      section('README.md', { areas: areaRows(openapi) }),
      section('docs/guide/errors.md', { 'error-codes': errorCodeRows() }),
      section('docs/guide/limits.md', { plans: planRows() }),
      section('docs/guide/graphql.md', { 'rest-to-graphql': restToGraphqlRows(restAreas) }),
      ['docs/events.md', eventsDocument(eventTypes)],
      ['docs/permissions.md', permissionsDocument(router.supergraphSdl, restAreas)],
    ]);
  } finally {
    await close();
  }
}
