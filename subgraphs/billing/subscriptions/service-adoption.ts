import { parse } from 'graphql';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { requestOf } from '../../../kernel/request.ts';
import { type BillingCycle, monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { WorkLoop } from '../../../kernel/work/work-loop.ts';
import { billingAccountOf } from '../accounts/billing-account-lock.ts';
import { recordRecurring } from '../analytics/recurring-revenue.ts';
import { boundary, localDay, periodAt } from '../calculation/billing-periods.ts';
import { type Customer, findCustomers } from '../customers/customer.ts';
import { LineKind } from '../invoices/line-kind.ts';
import { AccountBilling } from './account-billing.ts';
import { lockAccount } from './account-lock.ts';
import { AccountSubscriptions } from './account-subscriptions.ts';
import { ServiceBilling } from './service-billing.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

const NAME = 'service-adoption';
const BATCH = 50;
/**
 * Time after which a second pass begins. Until then, processes of the previous release can still invoice new services, which the second
 * pass finds.
 */
const SECOND_PASS_AFTER_MS = HOUR_MS;

/** Progress of the adoption: the pass, the last service, and the time at which the pass may begin. */
type Position = readonly [pass: '1' | '2', organizationId: string, serviceId: string, notBefore: string];
const START: Position = ['1', '', '', ''];

const SERVICES = parse(`query AdoptedServices($ids: [ID!]!) {
  services(filter: { id: $ids, status: [OPERATIONAL, DEGRADED, DOWN, MAINTENANCE, SUSPENDED, DECOMMISSIONING] }, page: { limit: ${BATCH} }) {
    nodes { id name accountId billingCycle monthlyPrice currency provisionedAt updatedAt catalogService { category } }
  }
}`);

interface LiveService {
  id: string;
  name: string;
  accountId: string;
  billingCycle: string;
  monthlyPrice: number;
  currency: string;
  provisionedAt: string;
  updatedAt: string;
  catalogService: { category: string };
}

type AdoptionPorts = Pick<Ports, 'orm' | 'rows' | 'clock' | 'log' | 'graph'>;

export interface ServiceAdoption {
  start(): void;
  stop(): Promise<void>;
  /** Adopts the next services. Returns false if there are no services to adopt now. */
  step(): Promise<boolean>;
}

/**
 * Brings services that earlier releases have invoiced into the automatic subscriptions of their accounts, and into the recurring revenue.
 * Services that already have a subscription do not change. A migration registers the adoption. It is not a `Backfill`, because it reads
 * services through the graph. Like a `Backfill`, it continues where it stopped.
 */
export function serviceAdoption(ports: AdoptionPorts): ServiceAdoption {
  const adoption = new Adoption(ports);
  const loop = new WorkLoop(() => adoption.step(), ports.log.child({ backfill: NAME }));
  let timer: NodeJS.Timeout | undefined;
  return {
    step: () => adoption.step(),
    start() {
      loop.start();
      timer = setInterval(() => {
        if (adoption.isDone) clearInterval(timer);
        else loop.wake();
      }, MINUTE_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await loop.stop();
    },
  };
}

class Adoption {
  isDone = false;

  constructor(private readonly ports: AdoptionPorts) {}

  async step(): Promise<boolean> {
    const position = await this.#position();
    if (!position) {
      this.isDone = true;
      return false;
    }
    const now = this.ports.clock.now();
    const [pass, , , notBefore] = position;
    if (notBefore && new Date(notBefore) > now) return false;
    const found = await this.#next(position);
    const last = found.at(-1);
    if (last) return this.#move(position, [pass, last.organization_id, last.service_id, ''], found);
    if (pass === '1') return this.#move(position, ['2', '', '', new Date(now.getTime() + SECOND_PASS_AFTER_MS).toISOString()], []);
    await this.ports.rows.query('delete from "billing"."backfill" where "name" = $1', [NAME]);
    this.ports.log.info({ backfill: NAME }, 'all services are in subscriptions');
    return true;
  }

  async #position(): Promise<Position | null> {
    const [row] = await this.ports.rows.query<{ position: Position | null }>(
      'select "position" from "billing"."backfill" where "name" = $1',
      [NAME],
    );
    return row ? (row.position ?? START) : null;
  }

  /** Returns the services of one organization after a position that an earlier release invoiced in reaction to an event. */
  async #next([, organizationId, serviceId]: Position): Promise<{ organization_id: string; service_id: string }[]> {
    const found = await this.ports.rows.query<{ organization_id: string; service_id: string }>(
      `select distinct l."organization_id", l."service_id" from "billing"."invoice_line" l
       where (l."organization_id", l."service_id") > ($1, $2) and l."item_id" is null
       and exists (select from "billing"."invoice" i where i."id" = l."invoice_id" and i."source" is not null)
       order by 1, 2 limit ${BATCH}`,
      [organizationId, serviceId],
    );
    return found.filter((row) => row.organization_id === found[0]?.organization_id);
  }

  /** Adopts services, and stores the new position in the same transaction. Does nothing if another process has already done this. */
  async #move(from: Position, to: Position, found: readonly { service_id: string }[]): Promise<boolean> {
    const { orm, graph, log, clock } = this.ports;
    const [, organizationId] = to;
    const request = requestOf(`billing.${NAME}`, organizationId, log);
    const ids = found.map((row) => row.service_id);
    const services =
      ids.length > 0 ? (await graph.query<{ services: { nodes: LiveService[] } }>(SERVICES, { ids }, request)).services.nodes : [];
    const accountIds = [...new Set(services.map(({ accountId }) => accountId))].sort();
    const customers = accountIds.length > 0 ? await findCustomers(graph, request, accountIds) : new Map<string, Customer>();
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      const [row] = await tx.execute<{ position: Position | null }[]>(
        'select "position" from "billing"."backfill" where "name" = ? for update',
        [NAME],
      );
      if (!row || String(row.position ?? START) !== String(from)) return;
      for (const accountId of accountIds) {
        const customer = customers.get(accountId);
        if (!customer) continue;
        await lockAccount(tx, organizationId, accountId);
        const { billingDay } = await billingAccountOf(tx, organizationId, accountId, clock.now());
        const billing = new AccountBilling(tx, { organizationId, customer, billingDay }, clock.now());
        const subscriptions = new AccountSubscriptions(billing);
        for (const service of services.filter((one) => one.accountId === accountId)) await adopt(subscriptions, service);
      }
      await tx.execute('update "billing"."backfill" set "position" = ?::text::jsonb where "name" = ?', [JSON.stringify(to), NAME]);
    });
    return true;
  }
}

/**
 * Adds a service to the automatic subscription of its account. It is charged from the end of the period that its first invoice has billed;
 * if this period has ended, from the end of the current period. Past periods are not charged.
 */
async function adopt(subscriptions: AccountSubscriptions, service: LiveService): Promise<void> {
  const { billing } = subscriptions;
  const { tx, zone, now, account } = billing;
  const { id: serviceId, name, currency, accountId } = service;
  const { organizationId } = account;
  const monthly = new Decimal(service.monthlyPrice);
  // events about later changes of the price may have been handled before; they count
  await recordRecurring(tx, [{ organizationId, serviceId, accountId, currency, monthly, at: new Date(service.provisionedAt) }]);
  if (await tx.findOne(SubscriptionItem, { serviceId })) return;
  const serviceCycle = service.billingCycle.toLowerCase() as BillingCycle;
  const anchor = localDay(new Date(service.provisionedAt), zone);
  const pricedAt = new Date(service.updatedAt);
  const terms = { serviceId, name, category: service.catalogService.category, serviceCycle, price: monthly, pricedAt };
  const { subscription, item } = await subscriptions.join(terms, currency, startOfDay(anchor, zone));
  const length = monthsOf(serviceCycle);
  const { number, start, end } = periodAt(anchor, serviceCycle, now, zone);
  const periods = Math.max(number, 0) + 1;
  Object.assign(item, { months: periods * length, periodStart: start, billedUntil: boundary(anchor, serviceCycle, periods, zone) });
  item.meteredUntil = now;
  if (number === 0) await keepFirstCharge(tx, item, { start, end }, zone);
  await subscriptions.reschedule(subscription);
  const services = new ServiceBilling(subscriptions);
  for (const report of await services.takeEarly([serviceId])) await services.changed(report);
}

/** Stores a charge for the current period, which the first invoice has billed, so that a later change of the service can credit it. */
async function keepFirstCharge(
  tx: EntityManager,
  item: SubscriptionItem,
  period: { start: Date; end: Date },
  timezone: string,
): Promise<void> {
  const { organizationId, accountId, subscriptionId, id: itemId, serviceId, startsAt, createdAt } = item;
  await tx.flush();
  const [line] = await tx.execute<{ id: string; position: number; price: string; months: number }[]>(
    `select i."id", l."position", l."unit_price" as "price", l."quantity" as "months"
     from "billing"."invoice_line" l join "billing"."invoice" i on i."id" = l."invoice_id"
     where l."organization_id" = ? and l."service_id" = ? and l."item_id" is null and i."source" is not null order by i."id" limit 1`,
    [organizationId, serviceId],
  );
  if (!line) return;
  const charge = Object.assign(new SubscriptionCharge(), { id: newId('subscriptionCharge'), organizationId, accountId, subscriptionId });
  Object.assign(charge, {
    itemId,
    kind: LineKind.RECURRING,
    price: new Decimal(line.price),
    months: line.months,
    pricedAt: startsAt,
    timezone,
  });
  Object.assign(charge, { periodStart: period.start, periodEnd: period.end, fromAt: period.start, toAt: period.end });
  Object.assign(charge, { billedAt: createdAt, invoiceId: line.id, position: line.position, createdAt });
  tx.persist(charge);
}
