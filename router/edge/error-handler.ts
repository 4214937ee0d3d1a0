import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PlatformError } from '../../kernel/errors/errors.ts';
import { sendError } from '../../kernel/http/http.ts';

/** Sends the standard error body for every error and unknown path (specification 7). */
export function mountErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request, reply) =>
    sendError(new PlatformError('ROUTE_NOT_FOUND', `There is no ${request.method} ${pathOf(request)}.`), request, reply),
  );
}

const SHOWN_PATH_LENGTH = 200;
const pathOf = ({ originalUrl }: FastifyRequest): string => (originalUrl.split('?', 1)[0] ?? '').slice(0, SHOWN_PATH_LENGTH);
