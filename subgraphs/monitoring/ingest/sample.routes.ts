import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { parseJson, readBody } from '../../../kernel/http/bodies.ts';
import { envelope } from '../../../kernel/http/envelope.ts';
import { JSON_TYPE, sendError } from '../../../kernel/http/http.ts';
import type { Ingestion } from './ingestion.ts';
import { readSamples } from './simple-samples.ts';

export const SAMPLES_PATH = '/v1/monitoring/samples';
/** Maximum size of a request body, before and after decoding: 5,000 samples of 400 bytes. */
const BODY_BYTES = 2 * 1024 ** 2;
/** Maximum number of JSON values in a request body: 5,000 samples with a few labels each. */
const MAX_PARTS = 500_000;
/** Maximum number of refused samples that a response lists. */
const MAX_LISTED = 100;

/** Serves the REST requests that send samples. They bypass the graph, because they are frequent and large. */
export async function mountSamples(app: FastifyInstance, ingestion: Ingestion, clock: Clock): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: BODY_BYTES },
      async (request: FastifyRequest, sent: Buffer) => parseJson(await readBody(request, sent, BODY_BYTES, MAX_PARTS)),
    );
    // the caller is refused before the body is read
    scope.addHook('onRequest', async ({ caller, headers }) => {
      checkVersion(headers['api-version']);
      caller.principal.require('monitoring:write');
      ingestion.checkRoom();
    });
    scope.post(SAMPLES_PATH, { config: { weight: 0 }, bodyLimit: BODY_BYTES }, (request, reply) =>
      record(ingestion, clock, request, reply),
    );
    done();
  });
}

async function record(ingestion: Ingestion, clock: Clock, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { accepted, duplicates, refused } = await ingestion.record(request.caller, readSamples(request.body, clock.now()));
  const data = { accepted, duplicates, refused: refused.slice(0, MAX_LISTED), refused_total: refused.length };
  return reply
    .headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store', 'x-request-id': request.id })
    .send(envelope(`"data":${JSON.stringify(data)}`, request.id, clock.now().toISOString()));
}
