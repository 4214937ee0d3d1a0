import '../apps/production.ts';
import { platformOn } from './platform.ts';
import { scratchFolder } from './scratch-folder.ts';

/**
 * A question of bench/orders.ts. `organizations`: create this number of organizations, and return one API key of each. `invoices`: return the
 * number of invoices. `waiting`: return the number of due and running jobs of the services domain, plus the number of events in its outbox.
 */
export type OrdersQuestion = { organizations: number } | 'invoices' | 'waiting';

const WAITING = `select (select count(*) from "pgboss"."job" where "state" in ('created', 'retry', 'active') and "start_after" <= now()
    and "name" like 'services.%')::int + (select count(*) from "services"."outbox")::int as count`;
const INVOICES = 'select count(*)::int as count from "billing"."invoice"';

/** Runs the platform for bench/orders.ts, which sends the orders from another process. */
const { platform, domains, rows } = await platformOn(process.env.BENCH_DATABASE_URL, scratchFolder());

const newKey = async (): Promise<string> => (await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' })).apiKey;

async function answer(question: OrdersQuestion): Promise<string[] | number> {
  if (typeof question === 'object') return Promise.all(Array.from({ length: question.organizations }, newKey));
  const [row] = await rows.query<{ count: number }>(question === 'invoices' ? INVOICES : WAITING, []);
  return row?.count ?? 0;
}

process.on('message', async (question: OrdersQuestion) => process.send?.(await answer(question)));
process.once('disconnect', () => process.exit(0));
process.send?.(platform.origin);
