import type { FastifyRequest } from 'fastify';
import type { ErrorPage } from '../../kernel/http/http.ts';
import { pageHeaders } from '../../kernel/pages/page-headers.ts';
import { errorMessagePage } from '../../kernel/pages/page-requests.ts';

/**
 * Creates the function that renders errors as HTML pages for browsers, in the style of the sign-in pages. Programs that
 * call one of the API paths get JSON.
 */
export const errorPageFor =
  (apiPaths: readonly string[]): ErrorPage =>
  (error, request) =>
    isForAPerson(request, apiPaths) ? { headers: pageHeaders(), text: errorMessagePage(error, request.id) } : undefined;

function isForAPerson({ url, headers }: FastifyRequest, apiPaths: readonly string[]): boolean {
  // browsers send this header when a person opens an address or submits a form; scripts cannot set it
  if (headers['sec-fetch-mode'] === 'navigate') return true;
  const [path = ''] = url.split('?', 1);
  // API paths return JSON, because some HTTP libraries accept text/html by default
  if (apiPaths.some((one) => path === one || path.startsWith(`${one}/`))) return false;
  return prefersHtml(headers.accept);
}

const RANGES_MAX = 20;

/** Returns whether an Accept header prefers HTML to JSON, or gives HTML and JSON the same weight. */
function prefersHtml(accept = ''): boolean {
  const weights = new Map(
    accept
      .toLowerCase()
      .split(',', RANGES_MAX)
      .map((range) => {
        const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [type, weight ? Number(weight.slice(2)) || 0 : 1] as const;
      }),
  );
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html >= (weights.get('application/json') ?? 0);
}
