import 'reflect-metadata';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JSON_TYPE } from '../../kernel/http/http.ts';
import { writeReference } from '../../rest-bridge/docs.build.ts';
import { scriptIn } from '../../rest-bridge/docs.ts';
import { writeGuide } from '../../rest-bridge/guide.build.ts';
import { guideContent, guidePagesIn } from '../../rest-bridge/guide.ts';
import { BASE } from '../../rest-bridge/mount.ts';
import { graphiqlAssets } from '../../router/graphiql.ts';
import { StaticContent } from '../../router/static-content.ts';

/**
 * Generates the API reference and the pages of the guide, and compresses static files into dist/static/. This is part
 * of `npm run build`, so that no request waits for compression.
 */
const FOLDER = fileURLToPath(new URL('../../static/', import.meta.url));
const REFERENCE = fileURLToPath(new URL('../../reference/', import.meta.url));
const GUIDE = fileURLToPath(new URL('../../guide/', import.meta.url));
const openapi: unknown = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));

await writeReference(REFERENCE, `${BASE}/openapi.json`);
writeGuide(GUIDE);
const contents = [
  new StaticContent(Buffer.from(JSON.stringify(openapi)), JSON_TYPE, 'no-cache'),
  scriptIn(REFERENCE),
  ...guidePagesIn(GUIDE).map((name) => guideContent(GUIDE, name)),
  ...graphiqlAssets(),
];
const written = new Set<string>();
for (const content of contents) for (const name of await content.precompress(FOLDER)) written.add(name);
// deletes the files of earlier builds that this build did not write
for (const name of readdirSync(FOLDER)) if (!written.has(name)) rmSync(join(FOLDER, name));
