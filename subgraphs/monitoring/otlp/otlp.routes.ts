import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { parseJson, readBody, readBytes } from '../../../kernel/http/bodies.ts';
import type { Ingestion } from '../ingest/ingestion.ts';
import { MAX_SAMPLES } from '../ingest/sample.rules.ts';
import { ENTRIES_MAX } from '../logs/log-ingestion.ts';
import type { LogIntake } from '../logs/log-intake.ts';
import { storedInTime } from './otlp-deadline.ts';
import { decodeJson, decodeProtobuf } from './otlp-decoding.ts';
import { entriesOf, type SentEntry } from './otlp-logs.ts';
import { LOGS_REQUEST, type LogsRequest, METRICS_REQUEST, type MessageType, type MetricsRequest } from './otlp-messages.ts';
import { pointsOf } from './otlp-metrics.ts';
import { PROTOBUF_TYPE, rejectionText, sendStatus, sendStored } from './otlp-responses.ts';

/** The prefix is the endpoint that a client of OpenTelemetry is configured with. It adds the rest. */
const METRICS_PATH = '/otlp/v1/metrics';
const LOGS_PATH = '/otlp/v1/logs';
/** Maximum size of a body, before and after decoding: the same as of the other requests with samples and log entries. */
const BODY_BYTES = 2 * 1024 ** 2;
/** Maximum number of JSON values in a body. */
const MAX_PARTS = 500_000;

export interface OtlpDeps {
  ingestion: Ingestion;
  logs: LogIntake;
}

/**
 * Serves OTLP/HTTP 1.x: metrics and logs, in both encodings. Only the format differs from that of `POST /monitoring/samples` and
 * `POST /monitoring/logs`. The same code checks and stores samples and log entries of all formats.
 */
export async function mountOtlp(app: FastifyInstance, { ingestion, logs }: OtlpDeps): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendStatus);
    scope.removeAllContentTypeParsers();
    const options = { parseAs: 'buffer', bodyLimit: BODY_BYTES } as const;
    scope.addContentTypeParser('application/json', options, async (request: FastifyRequest, sent: Buffer) =>
      decodeJson(messageOf(request), parseJson(await readBody(request, sent, BODY_BYTES, MAX_PARTS)) ?? {}),
    );
    scope.addContentTypeParser(PROTOBUF_TYPE, options, async (request: FastifyRequest, sent: Buffer) =>
      decodeProtobuf(messageOf(request), await readBytes(request, sent, BODY_BYTES)),
    );
    const route = { config: { weight: 0 }, bodyLimit: BODY_BYTES };
    scope.post(METRICS_PATH, { ...route, onRequest: admitMetrics }, recordMetrics);
    scope.post(LOGS_PATH, { ...route, onRequest: ({ caller }: FastifyRequest) => logs.admit(caller) }, recordLogs);
    done();
  });

  async function admitMetrics({ caller }: FastifyRequest): Promise<void> {
    caller.principal.require('monitoring:write');
    ingestion.checkRoom();
  }

  async function recordMetrics(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const points = pointsOf(bodyOf<MetricsRequest>(request));
    requireAtMost(MAX_SAMPLES, points.length, 'data points');
    const samples = points.map(({ sample }) => sample);
    const { refused } = await storedInTime(ingestion.record(request.caller, samples));
    const message = rejectionText(refused.map((one) => ({ ...one, name: points[one.index]?.metric })));
    return sendStored(request, reply, { countField: 'rejectedDataPoints', count: refused.length, message });
  }

  async function recordLogs(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const read = (): SentEntry[] => {
      const entries = entriesOf(bodyOf<LogsRequest>(request));
      requireAtMost(ENTRIES_MAX, entries.length, 'log records');
      return entries;
    };
    const { refused, refused_total: count } = await storedInTime(logs.store(request.caller, read));
    return sendStored(request, reply, { countField: 'rejectedLogRecords', count, message: rejectionText(refused) });
  }
}

const messageOf = ({ routeOptions: { url } }: FastifyRequest): MessageType => (url === METRICS_PATH ? METRICS_REQUEST : LOGS_REQUEST);

/** Returns the decoded body. A request without a body and content type is an empty message. */
const bodyOf = <T>({ body }: FastifyRequest): T => (body ?? {}) as T;

/** @throws PlatformError BODY_TOO_LARGE (413) */
function requireAtMost(max: number, count: number, what: string): void {
  if (count > max)
    throw new PlatformError('BODY_TOO_LARGE', `The request has ${count} ${what}. Send at most ${max} at once.`, { limit_items: max });
}
