import { hash } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import { StaticContent } from '../router/static-content.ts';

const PAGE = '/docs';
const SCRIPT = 'js/scalar.js';
const HOUR_SECONDS = 3600;

/** Everything that Scalar would fetch from elsewhere is off; the policy below holds it to that. */
const OFFLINE = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  favicon: 'data:,',
} as const;

/** The documentation page at /docs, to which / leads, from the npm package: no request leaves this server. */
export async function mountDocs(app: FastifyInstance, documentUrl: string): Promise<void> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  let known: Promise<StaticContent> | undefined;
  const script = (): Promise<StaticContent> => {
    known ??= documentationScript();
    return known;
  };
  // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for an asynchronous plugin; the rule knows only its callback form
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public', weight: 0 };
      if (route.url === `${PAGE}/${SCRIPT}`) route.handler = async (request, reply) => (await script()).send(request, reply);
    });
    scope.addHook('onSend', async (_, reply, payload) => {
      reply.header('x-content-type-options', 'nosniff');
      if (typeof payload === 'string') reply.header('content-security-policy', policyFor(payload));
      return payload;
    });
    // who opens the address that the platform started on
    scope.get('/', (_, reply) => reply.redirect(`${PAGE}/`));
    await scope.register(reference, { routePrefix: PAGE, configuration: { url: documentUrl, pageTitle: 'API reference', ...OFFLINE } });
  });
}

/** Scalar's script, of 4 MB, as its plugin has it: it gives it to nobody but who asks over HTTP. */
export async function documentationScript(): Promise<StaticContent> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(reference, { routePrefix: PAGE, configuration: { content: {} } });
  const { rawPayload } = await app.inject(`${PAGE}/${SCRIPT}`);
  await app.close();
  return new StaticContent(rawPayload, 'text/javascript; charset=utf-8', `public, max-age=${HOUR_SECONDS}`);
}

/** Only this server, and only the scripts that stand in the page. Scalar writes its style sheet into the page itself. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map(([, code = '']) => code)
    .filter((code) => code.trim() !== '');
  const hashes = scripts.map((code) => `'sha256-${hash('sha256', code, 'base64')}'`).join(' ');
  return `default-src 'self'; script-src 'self' ${hashes}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'; base-uri 'none'`;
}
