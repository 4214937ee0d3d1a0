import type { FastifyRequest } from 'fastify';
import type { OrganizationLog } from '../../kernel/log/organization-log.ts';
import { traceIdOf } from '../../kernel/tracing/tracing.ts';

const PATH_MAX = 500;
const AGENT_MAX = 200;

/**
 * Writes refused and failed requests to the log of the caller's organization, so that developers see the reason. The log does not contain
 * the body and the query string of a request, which may contain secrets. Requests without valid credentials belong to no organization.
 */
export const requestLog =
  (log: OrganizationLog) =>
  (request: FastifyRequest, { status, ms }: { status: number; ms: number }): void => {
    const { caller, method, originalUrl, failure, params } = request;
    if (!caller || caller.principal.organizationId === '') return;
    const [path = ''] = originalUrl.split('?', 1);
    const { kind, id, organizationId } = caller.principal;
    const shown = failure?.status ?? status;
    const { service_id: serviceId } = Object(params) as { service_id?: string };
    log.write({
      organizationId,
      level: shown >= 500 ? 'error' : 'warn',
      source: 'request',
      message: `${method} ${path.slice(0, PATH_MAX)} ${shown}${failure ? ` ${failure.code}: ${failure.message}` : ''}`,
      serviceId,
      requestId: caller.requestId,
      traceId: traceIdOf(caller.client?.traceparent),
      attributes: {
        method,
        path: path.slice(0, PATH_MAX),
        status,
        ...(failure && { code: failure.code }),
        duration_ms: Math.round(ms),
        caller: { type: kind, id },
        ip: caller.client?.ip ?? null,
        user_agent: caller.client?.userAgent?.slice(0, AGENT_MAX) ?? null,
      },
    });
  };
