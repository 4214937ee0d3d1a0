import type { Ports } from '../../kernel/domain.ts';
import type { LoggedEvent } from '../../kernel/events/events.ts';
import type { Graph } from '../../kernel/graph.ts';
import { newId } from '../../kernel/records/ids.ts';
import { billing } from '../../subgraphs/billing/subgraph.ts';
import { type Store, storeFor } from '../support/domain-world.ts';
import type { Json } from '../tenant.ts';
import { type BillingProcess, BillingWorld } from './billing-world.ts';

/** Properties of a service that a test changes. */
export interface ServiceState {
  id: string;
  accountId: string;
  price: number;
  cycle?: string;
  fee?: number;
  currency?: string;
  name?: string;
  provisionedAt: Date;
}

/** The billing domain without other domains. Its accounts and services exist only in the test. */
export class SubscriptionWorld extends BillingWorld {
  /** Time zones by account id. An account without an entry does not exist. */
  readonly zones = new Map<string, string>();

  /** Fields of services by id, as the services domain returns them. Used for services of earlier releases. */
  readonly services = new Map<string, object>();

  static override async open(store?: Store): Promise<SubscriptionWorld> {
    return new SubscriptionWorld(store ?? (await storeFor(billing)));
  }

  /** Creates an account and returns its id. */
  account(timezone = 'UTC'): string {
    const id = newId('account');
    this.zones.set(id, timezone);
    return id;
  }

  /** Runs an SQL statement with values in the database of the world. */
  async rows<R extends object>(text: string, ...values: unknown[]): Promise<R[]> {
    return this.store.rows.query<R>(text, values);
  }

  protected override ports(): Ports {
    const account = (id: string | undefined): Json =>
      id && this.zones.has(id)
        ? {
            ...{ id, name: 'Acme', email: 'it@acme.example', timezone: this.zones.get(id) },
            ...{ billingContact: null, billingAddress: null },
          }
        : null;
    const query = async (
      _: unknown,
      variables: { ids?: string[]; id?: string; account?: string; accounts?: string[]; services?: string[] },
    ) => {
      const { ids = [], id, account: one = id, accounts = ids, services = ids } = variables;
      return {
        organization: { name: 'Operator' },
        account: account(one),
        accounts: { nodes: accounts.map(account).filter(Boolean) },
        services: { nodes: services.map((of) => ({ id: of, ...this.services.get(of), catalogService: { category: 'connectivity' } })) },
      };
    };
    return { ...super.ports(), graph: { query } as unknown as Graph };
  }

  /** Returns an event of a service, in the form of the event log. */
  event(kind: 'provisioned' | 'modified' | 'decommissioned', service: ServiceState, at: Date): LoggedEvent {
    const id = newId('event');
    const event = `service.${kind}`;
    const { price, currency = 'USD', cycle = 'monthly', fee = 0, name = 'Fiber', provisionedAt } = service;
    const data = {
      service: {
        ...{ id: service.id, account_id: service.accountId, name, billing_cycle: cycle, price: { amount: price, currency, unit: 'month' } },
        ...{ one_time_fee: fee, provisioned_at: provisionedAt.toISOString(), updated_at: at.toISOString() },
      },
    };
    const { organizationId } = this;
    return {
      ...{
        id,
        sequence: '1',
        organizationId,
        event,
        subject: { type: 'Service', id: service.id },
        accountId: service.accountId,
        occurredAt: at,
      },
      payload: JSON.stringify({ id, event, timestamp: at, organization_id: organizationId, data }),
    };
  }
}

/** Handles an event in a process, as the job of the reaction would. */
export async function react(process: BillingProcess, event: LoggedEvent): Promise<void> {
  const reaction = process.running.reactions?.find(({ on }) => on === event.event);
  await reaction?.handle(event);
}

export interface BilledLine {
  number: string;
  invoice_id: string;
  service_id: string;
  kind: string;
  amount: string;
  period_start: Date;
  period_end: Date;
}

/** Returns the lines of all generated invoices, in the order of the invoice numbers. */
export async function linesOf(world: SubscriptionWorld): Promise<BilledLine[]> {
  const rows = await world.rows<BilledLine>(
    `select i."number", i."id" as "invoice_id", l."service_id", l."kind", l."amount"::text, l."period_start", l."period_end"
     from "billing"."invoice_line" l join "billing"."invoice" i on i."id" = l."invoice_id"
     where l."organization_id" = $1 order by substring(i."number" from 5)::int, l."position"`,
    world.organizationId,
  );
  return rows.map((row) => ({ ...row, period_start: new Date(row.period_start), period_end: new Date(row.period_end) }));
}

/** Returns the revenue of an account according to the ledger: the invoiced amounts minus the credited amounts. */
export async function revenueOf(world: SubscriptionWorld, accountId: string): Promise<string> {
  const [row] = await world.rows<{ revenue: string }>(
    `select trim_scale(coalesce(sum(case when "credit" = 'revenue' then "amount" else -"amount" end), 0))::text as "revenue"
     from "billing"."ledger_transfer" where "organization_id" = $1 and "account_id" = $2 and 'revenue' in ("debit", "credit")`,
    world.organizationId,
    accountId,
  );
  return row?.revenue ?? '0';
}
