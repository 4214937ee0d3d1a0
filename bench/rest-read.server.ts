import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import pg from 'pg';
import { notify } from '../kernel/database/notifier.ts';
import { OUTBOX_CHANNEL } from '../kernel/events/outbox.ts';
import { JOB_CHANNEL } from '../kernel/jobs/insertion.ts';
import { newId } from '../kernel/records/ids.ts';
import { handWritten, platformOn } from './platform.ts';

/** The addresses, API keys and records that the load generator uses in its requests. */
export interface BenchTarget {
  origin: string;
  handOrigin: string;
  apiKey: string;
  ticketIds: string[];
  ticket: Record<string, unknown>;
  /** One key for each of several organizations, because an organization may order at most 50 services per hour. */
  orders: { apiKey: string; body: string }[];
}

const TICKETS = 500;
const ORGANIZATIONS = 200;

/**
 * Runs two servers in this process for bench/rest-read.ts: the platform, and hand-written handlers of the same
 * operations.
 */
const { platform, assembly, domains } = await platformOn(process.env.BENCH_DATABASE_URL, scratchFolder());
const { databases } = assembly;
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
const services = await databases.storeOf({ schema: 'services', entities: [], migrations: [] });
await support.rows.query('create table if not exists "support"."bench_key" ("key" text primary key, "answer" text not null)', []);
// the hand-written handlers use the driver's connection pool directly
const url = process.env.BENCH_DATABASE_URL;
const pool = url === undefined ? undefined : new pg.Pool({ connectionString: url, max: 5 });
const read = async <R extends object>(name: string, text: string, values: unknown[]): Promise<R[]> =>
  pool ? (await pool.query<R>({ name, text, values })).rows : support.rows.query<R>(text, values);
// Without statistics, PostgreSQL chooses other query plans. In production, autovacuum collects statistics in the first
// minute.
await support.rows.query('analyze', []);
const hand = handWritten(assembly);

const READ = `select "id", "number", "title", "description", "status", "priority", "severity", "category", "subcategory", "customer_id", "contact",
    "sla_terms", "response_due", "resolution_due", "created_at", "updated_at", "service_affected", "location", "metadata", "customer_update",
    "estimated_resolution", "resolved_at", "waiting_since", "revision", "agent_id",
    (select to_jsonb(a) from "support"."agent" a where a."id" = t."agent_id" and a."organization_id" = t."organization_id") as agent
  from "support"."ticket" t where "organization_id" = $1 and "id" = $2`;

hand.get<{ Params: { id: string } }>('/tickets/:id', async (request, reply) => {
  const [row] = await read<TicketRow>('bench.read', READ, [request.caller.principal.organizationId, request.params.id]);
  if (!row) return reply.code(404).send({ error: 'not found' });
  return { ticket: shown(row) };
});

const LIST = `select t."id", t."number", t."title", t."status", t."priority", t."created_at", t."updated_at", t."responded_at", t."response_due",
    t."resolution_due", a."name", a."email"
  from "support"."ticket" t left join "support"."agent" a on a."id" = t."agent_id" and a."organization_id" = t."organization_id"
  where t."organization_id" = $1 order by t."created_at" desc, t."id" desc limit $2`;
const COUNT = 'select count(*)::int as total from "support"."ticket" where "organization_id" = $1';

hand.get<{ Querystring: { limit: string } }>('/tickets', async (request) => {
  const { organizationId } = request.caller.principal;
  const limit = Number(request.query.limit);
  const [found, [count]] = await Promise.all([
    read<ListedRow>('bench.list', LIST, [organizationId, limit + 1]),
    read<{ total: number }>('bench.count', COUNT, [organizationId]),
  ]);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const total = count?.total ?? 0;
  return {
    tickets: rows.map(listed),
    pagination: {
      total,
      page: 1,
      limit,
      pages: Math.ceil(total / limit),
      has_more: found.length > limit,
      next_cursor: last ? Buffer.from(JSON.stringify([last.created_at, last.id])).toString('base64url') : null,
    },
  };
});

/** The notification that wakes the relay. */
const RECORDED = { channel: OUTBOX_CHANNEL, payload: 'support' };

hand.post<{ Body: typeof ticket; Headers: { 'idempotency-key': string } }>('/tickets', async (request, reply) => {
  const { organizationId } = request.caller.principal;
  const { title, description, priority, contact } = request.body;
  const now = new Date();
  const id = newId('ticket');
  const answer = await support.orm.em.fork().transactional(async (tx) => {
    const sql = (text: string, values: unknown[]) =>
      tx.getConnection().execute<Record<string, unknown>[]>(text, values, 'all', tx.getTransactionContext());
    const [agent] = await sql(
      `select "id", "name", "email", "specialization" from "support"."agent" where "organization_id" = ? and "specialization" = 'general'`,
      [organizationId],
    );
    const [counter] = await sql(
      `insert into "support"."ticket_counter" as c values (?, 1001) on conflict ("organization_id") do update set "last" = c."last" + 1 returning "last"`,
      [organizationId],
    );
    const number = `TKT-${String(counter?.last)}`;
    const terms = JSON.stringify({ response: { minutes: 60 }, resolution: { minutes: 480 } });
    await sql(
      `insert into "support"."ticket" ("id", "organization_id", "number", "title", "description", "priority", "urgency", "category", "contact", "metadata", "agent_id", "response_due", "resolution_due", "sla_terms", "resolution_since", "created_at", "updated_at")
       values (?, ?, ?, ?, ?, ?, 3, 'general', ?, '{}', ?, ?, ?, ?, ?, ?, ?)`,
      [id, organizationId, number, title, description, priority, JSON.stringify(contact), agent?.id, now, now, terms, now, now, now],
    );
    await sql(
      `insert into "support"."ticket_change" ("id", "organization_id", "ticket_id", "member", "to", "actor_kind", "actor_id", "created_at") values (?, ?, ?, 'status', '"open"', 'api_key', ?, ?)`,
      [newId('ticketChange'), organizationId, id, request.caller.principal.id, now],
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
    const text = JSON.stringify({ ticket: { id, number, title, description, priority, contact, assigned_to: agent } });
    // the response is stored, because in production a retry with the same Idempotency-Key must return it
    await sql('insert into "support"."bench_key" values (?, ?)', [request.headers['idempotency-key'], text]);
    // as the platform does, so that the event is relayed immediately
    await notify(tx, RECORDED);
    return text;
  });
  return reply.code(201).type('application/json').send(answer);
});

/**
 * Inserts the same rows as the handler of `POST /tickets` and builds the same response, with a single SQL statement.
 * Its speed is the upper limit for a program that uses several statements.
 */
const CREATE = `with agent as (
    select "id", "name", "email", "specialization" from "support"."agent" where "organization_id" = $1 and "specialization" = 'general'
  ), counter as (
    insert into "support"."ticket_counter" as c values ($1, 1001) on conflict ("organization_id") do update set "last" = c."last" + 1
    returning 'TKT-' || "last" as number
  ), answer as (
    select agent."id" as agent_id, counter.number, json_build_object('ticket', json_build_object('id', $2::text, 'number', counter.number,
      'title', $3::text, 'description', $4::text, 'priority', $5::text, 'contact', $6::jsonb, 'assigned_to', to_json(agent)))::text as text
    from agent, counter
  ), ticket as (
    insert into "support"."ticket" ("id", "organization_id", "number", "title", "description", "priority", "urgency", "category", "contact",
      "metadata", "agent_id", "response_due", "resolution_due", "sla_terms", "resolution_since", "created_at", "updated_at")
    select $2, $1, number, $3, $4, $5, 3, 'general', $6, '{}', agent_id, $7::timestamptz, $7, $8::jsonb, $7, $7, $7 from answer
  ), change as (
    insert into "support"."ticket_change" ("id", "organization_id", "ticket_id", "member", "to", "actor_kind", "actor_id", "created_at")
    values ($9, $1, $2, 'status', '"open"', 'api_key', $10, $7)
  ), outbox as (
    insert into "support"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "occurred_at", "payload")
    values ($11, $1, 'ticket.created', 'Ticket', $2, $7, $12)
  ), key as (
    insert into "support"."bench_key" select $13, text from answer
  ) select text from answer`;

hand.post<{ Body: typeof ticket; Headers: { 'idempotency-key': string } }>('/tickets/at-once', async (request, reply) => {
  const { organizationId, id: actor } = request.caller.principal;
  const { title, description, priority, contact } = request.body;
  const now = new Date();
  const id = newId('ticket');
  const event = newId('event');
  const terms = JSON.stringify({ response: { minutes: 60 }, resolution: { minutes: 480 } });
  const payload = { id: event, event: 'ticket.created', timestamp: now, organization_id: organizationId, data: { ticket: { id, title } } };
  const key = request.headers['idempotency-key'];
  const [created] = await read<{ text: string }>('bench.create', CREATE, [
    ...[organizationId, id, title, description, priority, JSON.stringify(contact), now, terms],
    ...[newId('ticketChange'), actor, event, JSON.stringify(payload), key],
  ]);
  support.database.notify(RECORDED);
  return reply.code(201).type('application/json').send(created?.text);
});

/** Postpones all new jobs, so that only the acceptance of orders is measured. */
hand.post('/postponed-jobs', async (_, reply) => {
  await services.rows.query(
    `create or replace function "services"."bench_postpone"() returns trigger language plpgsql as
       $$ begin new."start_after" := now() + interval '1 hour'; return new; end $$`,
    [],
  );
  const sql = `create trigger "bench_postpone" before insert on "pgboss"."job" for each row execute function "services"."bench_postpone"()`;
  await services.rows.query(sql, []);
  return reply.code(204).send();
});

type OrderBody = { account_id: string; service_type: string; bandwidth: string; location: Record<string, string> };

/**
 * Accepts an order. Four parallel statements read the account, its billing preferences, the coverage and the offer, and
 * one transaction inserts all rows of the order.
 */
hand.post<{ Body: OrderBody }>('/orders', async (request, reply) => {
  const { organizationId } = request.caller.principal;
  const { account_id: accountId, service_type: serviceType, bandwidth, location } = request.body;
  const [[account], [preferences], [reach], [offer]] = await Promise.all([
    read('bench.account', 'select "id" from "identity"."account" where "id" = $1 and "organization_id" = $2', [accountId, organizationId]),
    read<{ billing_cycle: string }>(
      'bench.preferences',
      'select "billing_cycle" from "billing"."billing_account" where "account_id" = $1 and "organization_id" = $2',
      [accountId, organizationId],
    ),
    read(
      'bench.coverage',
      `select t."max_mbps" from "services"."coverage_area" a join "services"."coverage_technology" t on t."zip_prefix" = a."zip_prefix"
       where a."zip_prefix" = any($1) and t."technology" = $2 order by length(a."zip_prefix") desc limit 1`,
      [[5, 4, 3, 2, 1].map((length) => (location.zip ?? '').slice(0, length)), serviceType],
    ),
    read<{ id: string; name: string; monthly_price: string; currency: string }>(
      'bench.offer',
      `select s."id", s."name", b."monthly_price", s."currency" from "services"."catalog_service" s
       join "services"."catalog_bandwidth" b on b."service_id" = s."id" where s."service_type" = $1 and b."mbps" = $2`,
      [serviceType, Number.parseInt(bandwidth, 10)],
    ),
  ]);
  if (!account || !reach || !offer) return reply.code(404).send({ error: 'not found' });
  const id = newId('service');
  const now = new Date();
  const price = Number(offer.monthly_price);
  const lines = [
    { catalogId: offer.id, item: `bandwidth:${bandwidth}`, sla: 'standard', unit: 'month', quantity: 1, unitPrice: String(price) },
  ];
  const name = `${offer.name}, ${location.address}`;
  await services.orm.em.fork().transactional(async (tx) => {
    const sql = (text: string, values: unknown[]) => tx.getConnection().execute(text, values, 'all', tx.getTransactionContext());
    await sql(
      `insert into "services"."service" ("id", "organization_id", "account_id", "type", "service_type", "catalog_id", "name", "status", "bandwidth_mbps",
         "location", "sla", "billing_cycle", "monthly_price", "currency", "configuration", "features", "price_lines", "provisioning_failures",
         "job_number", "revision", "created_at", "updated_at")
       values (?, ?, ?, 'internet', ?, ?, ?, 'pending', ?, ?, 'standard', ?, ?, ?, '{}', '[]', ?, 0, 1, 1, ?, ?)`,
      [
        ...[id, organizationId, accountId, serviceType, offer.id, name, Number.parseInt(bandwidth, 10), JSON.stringify(location)],
        ...[preferences?.billing_cycle ?? 'monthly', price, offer.currency, JSON.stringify(lines), now, now],
      ],
    );
    await sql(
      `insert into "services"."service_status_change" ("id", "organization_id", "service_id", "to", "created_at") values (?, ?, ?, 'pending', ?)`,
      [newId('statusChange'), organizationId, id, now],
    );
    await sql(
      `insert into "pgboss"."job" ("name", "data", "retry_limit", "retry_delay", "retry_backoff", "expire_seconds", "deletion_seconds")
       values ('services.converge', ?, 100000, 1, true, 120, 3600)`,
      [JSON.stringify({ organizationId, serviceId: id, number: 1 })],
    );
    // as the platform does, so that the job starts immediately
    await notify(tx, { channel: JOB_CHANNEL, payload: 'services.converge' });
  });
  const order = {
    id,
    account_id: accountId,
    service_type: serviceType,
    name,
    bandwidth,
    location,
    monthly_price: price,
    status: 'pending',
  };
  return reply.code(201).send({ success: true, data: order });
});

type TicketRow = Record<string, unknown> & {
  id: string;
  sla_terms: { response: { minutes: number }; resolution: { minutes: number } };
  agent: Record<string, unknown>;
};

/** Returns the ticket as the REST contract defines it, converted by hand-written code. */
function shown({ sla_terms: { response, resolution }, response_due, resolution_due, agent, agent_id, waiting_since, ...row }: TicketRow) {
  const { name, email, specialization } = agent;
  return {
    ...row,
    waiting_on_customer: waiting_since !== null,
    assigned_to: { agent_id, name, email, specialization },
    sla: {
      response_time: `${response.minutes / 60} hours`,
      resolution_time: `${resolution.minutes / 60} hours`,
      response_due,
      resolution_due,
    },
    urls: {
      self: `${platform.origin}/v1/support/tickets/${row.id}`,
      customer_portal: `${platform.origin}/console/tickets/${row.id}`,
    },
    attachments: [],
  };
}

type ListedRow = Record<'id' | 'number' | 'title' | 'status' | 'priority' | 'name' | 'email', string> &
  Record<'created_at' | 'updated_at' | 'response_due' | 'resolution_due', string | Date> & { responded_at: string | Date | null };

function listed({ name, email, responded_at, response_due, resolution_due, ...row }: ListedRow) {
  const hours = Math.round((new Date(resolution_due).getTime() - Date.now()) / 3_600_000);
  return {
    ...row,
    assigned_to: { name, email },
    sla_status: {
      response_met: responded_at && new Date(responded_at) <= new Date(response_due),
      resolution_due,
      time_remaining: `${hours} hours`,
    },
  };
}

const handOrigin = await hand.listen({ port: 0, host: '127.0.0.1' });
const target: BenchTarget = { origin: platform.origin, handOrigin, apiKey, ticketIds, ticket, orders };
process.send?.(target);
process.once('disconnect', () => process.exit(0));
