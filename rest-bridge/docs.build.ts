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

/** Scalar's colors for methods, code and secondary text have too little contrast: these have 4.5 at least. */
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
 * Scalar gives its copy buttons no name, lists that scroll no keyboard access, and its buttons "Show More" a name without these words.
 * Runs whenever it has rendered something.
 */
const NAMED_CONTROLS = `new MutationObserver(() => {
  for (const button of document.querySelectorAll('button.scalar-code-copy:not([aria-label])')) button.setAttribute('aria-label', 'Copy');
  for (const list of document.querySelectorAll('.endpoints:not([tabindex])')) list.tabIndex = 0;
  for (const button of document.querySelectorAll('button[aria-label^="Show all "]'))
    button.setAttribute('aria-label', button.textContent.trim() + ': ' + button.getAttribute('aria-label'));
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-label'] });`;

/**
 * Writes the page and the script of the API reference to a folder, as Scalar's plugin serves them: it gives them to nobody but who asks
 * over HTTP, and holds 17 MB of text in memory. Part of `npm run build`.
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

/** @throws Error where Scalar's page has another form than this knows */
function accessible(page: string): string {
  const named = page.replace('<html>', '<html lang="en">').replace('</body>', `<script>${NAMED_CONTROLS}</script>\n  </body>`);
  if (!named.includes('<html lang="en">') || !named.includes(NAMED_CONTROLS))
    throw new Error("Scalar's page has another form than before.");
  return named;
}
