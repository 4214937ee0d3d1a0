import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import reference from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { PAGE, PAGE_FILE, SCRIPT, SCRIPT_FILE } from './docs.ts';

/** Everything that Scalar would fetch from elsewhere is off; the page's security policy holds it to that. */
const OFFLINE = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  favicon: 'data:,',
} as const;

/**
 * Writes the page and the script of the API reference to a folder, as Scalar's plugin serves them: it gives them to nobody but who asks
 * over HTTP, and holds 17 MB of text in memory. Part of `npm run build`.
 */
export async function writeReference(folder: string, documentUrl: string): Promise<void> {
  const app = fastify();
  await app.register(reference, { routePrefix: PAGE, configuration: { url: documentUrl, pageTitle: 'API reference', ...OFFLINE } });
  const [page, script] = [await app.inject(`${PAGE}/`), await app.inject(`${PAGE}/${SCRIPT}`)];
  await app.close();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, PAGE_FILE), page.rawPayload);
  writeFileSync(join(folder, SCRIPT_FILE), script.rawPayload);
}
