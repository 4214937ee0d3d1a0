import '../apps/production.ts';
import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FastifyRequest, fastify } from 'fastify';
import { assembleWith, type FullAssembly } from '../apps/platform/assemble.ts';
import { startPlatform } from '../apps/platform/platform.ts';
import { loadConfig } from '../kernel/config.ts';
import { newId } from '../kernel/ids.ts';
import { createLogger } from '../kernel/log.ts';

/** What the load is sent to. */
export interface BenchTarget {
  origin: string;
  handOrigin: string;
  apiKey: string;
  ticketIds: string[];
  ticket: Record<string, unknown>;
  /** One for each of several organizations: an organization may order 50 services an hour. */
  orders: { apiKey: string; body: string }[];
}

const TICKETS = 500;
const ORGANIZATIONS = 40;

/** The platform, and beside it in the same process the same operations written by hand: for bench/rest-read.ts. */
const config = loadConfig({
  PORT: '0',
  DATA_DIR: mkdtempSync(join(tmpdir(), 'bench-')),
  DATABASE_URL: process.env.BENCH_DATABASE_URL,
  SECRET_KEY: 'a secret for benchmarks, long enough',
  LOG_LEVEL: 'error',
});
let assembly: FullAssembly | undefined;
const platform = await startPlatform(
  config,
  async (foundation) => {
    assembly = await assembleWith(foundation, { inMemory: true });
    return assembly;
  },
  { log: createLogger({ level: 'error' }) },
);
const { domains, databases } = assembly as FullAssembly;
const newKey = async () => (await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' })).apiKey;
const apiKey = await newKey();
const call = async (path: string, body: unknown, key = apiKey) =>
  (await (
    await fetch(`${platform.origin}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json()) as Record<string, Record<string, string>>;

const ticket = { title: 'Slow', description: 'Measured', priority: 'high', contact: { name: 'Ada', email: 'ada@example.com' } };
const ticketIds: string[] = [];
for (let index = 0; index < TICKETS; index += 1)
  ticketIds.push(((await call('/support/tickets', ticket)).ticket as Record<string, string>).id as string);

const orders: BenchTarget['orders'] = [];
for (let index = 0; index < ORGANIZATIONS; index += 1) {
  const key = await newKey();
  const { id } = (await call('/accounts', { name: 'Bench', email: 'bench@example.com' }, key)).data as Record<string, string>;
  const location = { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' };
  orders.push({ apiKey: key, body: JSON.stringify({ account_id: id, service_type: 'fiber', bandwidth: '1000mbps', location }) });
}

const support = await databases.storeOf({ schema: 'support', entities: [], migrations: [] });
const hand = fastify();

const authenticate = async ({ headers, ip }: FastifyRequest) => {
  const { principal } = await domains.identity.authenticator.authenticate({
    kind: 'bearer',
    token: headers.authorization?.slice(7) ?? '',
    ip,
    userAgent: headers['user-agent'],
  });
  return principal.organizationId;
};

interface TicketRow extends Record<string, unknown> {
  agent_name: string;
  agent_email: string;
  specialization: string;
}

hand.get<{ Params: { id: string } }>('/tickets/:id', async (request, reply) => {
  const organizationId = await authenticate(request);
  const [row] = await support.rows.query<TicketRow>(
    `select t.*, a."name" as agent_name, a."email" as agent_email, a."specialization" from "support"."ticket" t
     join "support"."agent" a on a."id" = t."agent_id" where t."organization_id" = $1 and t."id" = $2`,
    [organizationId, request.params.id],
  );
  if (!row) return reply.code(404).send({ error: 'not found' });
  return { ticket: shown(row) };
});

hand.post<{ Body: typeof ticket }>('/tickets', async (request, reply) => {
  const organizationId = await authenticate(request);
  const { title, description, priority, contact } = request.body;
  const now = new Date();
  const id = newId('ticket');
  await support.orm.em.fork().transactional(async (tx) => {
    const sql = (text: string, values: unknown[]) =>
      tx.getConnection().execute<Record<string, unknown>[]>(text, values, 'all', tx.getTransactionContext());
    const [agent] = await sql(`select "id" from "support"."agent" where "organization_id" = ? and "specialization" = 'general'`, [
      organizationId,
    ]);
    const [counter] = await sql(
      `insert into "support"."ticket_counter" as c values (?, 1001) on conflict ("organization_id") do update set "last" = c."last" + 1 returning "last"`,
      [organizationId],
    );
    await sql(
      `insert into "support"."ticket" ("id", "organization_id", "number", "title", "description", "priority", "urgency", "category", "contact", "metadata", "agent_id", "response_due", "resolution_due", "sla_terms", "resolution_since", "created_at", "updated_at")
       values (?, ?, ?, ?, ?, ?, 3, 'general', ?, '{}', ?, ?, ?, '{}', ?, ?, ?)`,
      [
        id,
        organizationId,
        `TKT-${String(counter?.last)}`,
        title,
        description,
        priority,
        JSON.stringify(contact),
        agent?.id,
        now,
        now,
        now,
        now,
        now,
      ],
    );
    await sql(
      `insert into "support"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "occurred_at", "payload") values (?, ?, 'ticket.created', 'Ticket', ?, ?, ?)`,
      [
        newId('event'),
        organizationId,
        id,
        now,
        JSON.stringify({ id, event: 'ticket.created', timestamp: now, organization_id: organizationId, data: { ticket: { id, title } } }),
      ],
    );
  });
  return reply.code(201).send({ ticket: { id, title } });
});

const shown = ({ organization_id: _, internal_notes: __, agent_id, agent_name, agent_email, specialization, ...row }: TicketRow) => ({
  ...row,
  assigned_to: { agent_id, name: agent_name, email: agent_email, specialization },
});

const handOrigin = await hand.listen({ port: 0, host: '127.0.0.1' });
const target: BenchTarget = { origin: platform.origin, handOrigin, apiKey, ticketIds, ticket, orders };
process.send?.(target);
process.once('disconnect', () => process.exit(0));
