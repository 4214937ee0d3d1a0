import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { acceptJson } from '../../../kernel/http/bodies.ts';
import { envelope } from '../../../kernel/http/envelope.ts';
import { JSON_TYPE, sendError } from '../../../kernel/http/http.ts';
import { sentEntriesOf } from './log-ingestion.ts';
import type { LogIntake } from './log-intake.ts';

/** Maximum size of a decoded request body. */
const BODY_LIMIT = 2 * 1024 ** 2;

/**
 * Serves `POST /monitoring/logs`. These requests bypass the graph, and do not count against the hourly limit, because the plan limits the
 * number of log entries instead. Must be mounted behind the edge, which authenticates requests.
 */
export async function mountLogIngestion(app: FastifyInstance, intake: LogIntake, clock: Clock): Promise<void> {
  async function admit({ caller, headers }: FastifyRequest): Promise<void> {
    checkVersion(headers['api-version']);
    await intake.admit(caller);
  }

  async function ingest(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const data = await intake.store(request.caller, () => sentEntriesOf(request.body));
    return reply
      .headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store', 'x-request-id': request.id })
      .send(envelope(`"data":${JSON.stringify(data)}`, request.id, clock.now().toISOString()));
  }

  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    acceptJson(scope);
    scope.post('/v1/monitoring/logs', { bodyLimit: BODY_LIMIT, config: { weight: 0 }, onRequest: admit }, ingest);
    done();
  });
}
