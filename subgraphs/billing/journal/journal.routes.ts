import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { addVary, sendError } from '../../../kernel/http/http.ts';
import { isDate } from '../../../kernel/values/days.ts';
import { type JournalRange, JournalWriter, transfersIn } from './journal.ts';

/** URL path of the journal of the ledger. */
export const JOURNAL_PATH = '/v1/billing/ledger.journal';
const RULE = 'must be a date such as 2026-01-31';

/** Serves the ledger as a text file (a journal). Requires that the edge has authenticated the request. */
export async function mountJournal(app: FastifyInstance, rows: Rows, clock: Clock): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    scope.get(JOURNAL_PATH, { config: { category: 'export' } }, (request, reply) => download(rows, clock, request, reply));
    done();
  });
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'content-disposition': 'attachment; filename="ledger.journal"',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
};

async function download(rows: Rows, clock: Clock, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { principal, log } = request.caller;
  checkVersion(request.headers['api-version']);
  principal.require('billing:read');
  const range = rangeOf(request.query as Record<string, unknown>, clock.now());
  for (const name of ['Authorization', 'X-API-Key', 'API-Version']) addVary(reply, name);
  reply.headers({ ...HEADERS, 'x-request-id': request.id });
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  // the next page is read when the client has received the page before, so that memory stays bounded
  const stream = Readable.from(linesOf(rows, principal, range), { highWaterMark: 1 });
  // an error after the response has begun aborts the response, so the reason is only in the log
  stream.on('error', (error) => log.error({ err: error }, 'the download of a ledger broke off'));
  return reply.send(stream);
}

async function* linesOf(rows: Rows, scope: RecordScope, range: JournalRange): AsyncGenerator<Buffer> {
  const writer = new JournalWriter();
  yield Buffer.from(writer.begin(scope.organizationId, range));
  for await (const page of transfersIn(rows, scope, range)) yield Buffer.from(writer.page(page));
}

/**
 * Parses the query of a journal request. `from` and `to` are UTC days. The journal includes both days.
 * @throws InvalidParameters
 */
function rangeOf({ from, to, ...others }: Record<string, unknown>, now: Date): JournalRange {
  const problems: FieldProblem[] = Object.entries({ from, to }).flatMap(([field, value]) =>
    value === undefined || (typeof value === 'string' && isDate(value)) ? [] : [{ field, value, reason: RULE }],
  );
  for (const field of Object.keys(others)) problems.push({ field, reason: 'is not a parameter of this operation' });
  const [first, end] = [from, to].map((day) => (typeof day === 'string' && isDate(day) ? new Date(day) : null));
  if (first && end && first > end) problems.push({ field: 'from', value: from, reason: 'must not be after to' });
  refuse(problems);
  if (!end) return { from: first ?? null, to: now };
  end.setUTCDate(end.getUTCDate() + 1);
  return { from: first ?? null, to: end };
}
