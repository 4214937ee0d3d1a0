import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import reference from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { PAGE, PAGE_FILE, SCRIPT, SCRIPT_FILE } from './docs.ts';

/**
 * Turns off everything that Scalar would load from other servers. The page's content security policy would block these
 * requests.
 */
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
 * Replaces Scalar's colors for methods, code and secondary text, which have a contrast below 4.5. The new colors have a
 * contrast of at least 4.5.
 */
const READABLE_COLORS = `.light-mode {
  --scalar-color-2: #5f5f5f;
  --scalar-color-3: #6a6a6a;
  --scalar-color-accent: #0063ad;
  --scalar-color-blue: #0063ad;
  --scalar-color-green: #00704a;
  --scalar-color-orange: #b03a00;
  --scalar-color-red: #c30000;
  --scalar-color-yellow: #7a5c00;
}
.dark-mode {
  --scalar-color-3: #9a9a9a;
  --scalar-color-red: #ff7070;
}`;

/**
 * Fixes three accessibility problems of Scalar whenever it has rendered something:
 * - Its copy buttons have no name.
 * - Its scrollable lists cannot be reached with the keyboard.
 * - The accessible name of its "Show More" buttons does not contain these words.
 */
const NAMED_CONTROLS = `new MutationObserver(() => {
  for (const button of document.querySelectorAll('button.scalar-code-copy:not([aria-label])')) button.setAttribute('aria-label', 'Copy');
  for (const list of document.querySelectorAll('.endpoints:not([tabindex])')) list.tabIndex = 0;
  for (const button of document.querySelectorAll('button[aria-label^="Show all "]'))
    button.setAttribute('aria-label', button.textContent.trim() + ': ' + button.getAttribute('aria-label'));
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-label'] });`;

/**
 * Writes the page and the script of the API reference to a folder. Both are read from Scalar's plugin with HTTP
 * requests, because the plugin offers no other way.
 * The plugin is used only during `npm run build`, because it keeps 17 MB of text in memory.
 */
export async function writeReference(folder: string, documentUrl: string): Promise<void> {
  const app = fastify();
  await app.register(reference, {
    routePrefix: PAGE,
    configuration: { url: documentUrl, pageTitle: 'API reference', customCss: READABLE_COLORS, ...OFFLINE },
  });
  const [page, script] = [await app.inject(`${PAGE}/`), await app.inject(`${PAGE}/${SCRIPT}`)];
  await app.close();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, PAGE_FILE), accessible(page.payload));
  writeFileSync(join(folder, SCRIPT_FILE), script.rawPayload);
}

/**
 * Adds the language and the accessibility script to Scalar's page.
 * @throws Error if the page does not have the expected tags
 */
function accessible(page: string): string {
  const named = page.replace('<html>', '<html lang="en">').replace('</body>', `<script>${NAMED_CONTROLS}</script>\n  </body>`);
  if (!named.includes('<html lang="en">') || !named.includes(NAMED_CONTROLS))
    throw new Error("Scalar's page does not have the expected tags.");
  return named;
}
