import { parse } from 'graphql';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { advisoryLock, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { UsagePrice } from './usage-price.entity.ts';
import { LaterPriceExists, PriceHasEnded, TooManyPrices } from './usage-price.errors.ts';
import type { UsagePriceFilter, UsagePriceInput } from './usage-price.inputs.ts';
import { scopeText } from './usage-scope.ts';

/** Maximum number of prices without an end date in an organization. A usage report reads all these prices. */
const MAX_PRICES = 5_000;

const SERVICE = parse('query PricedService($id: ID!) { service(id: $id) { id } }');

export interface UsagePriceServiceDeps {
  em: EntityManager;
  graph: Graph;
  request: RequestContext;
  clock: Clock;
}

/** Manages the prices of metered usage. A price is never changed. Its record stores the callers who set and ended it. */
export class UsagePriceService {
  constructor(private readonly deps: UsagePriceServiceDeps) {}

  /**
   * Sets a price. It replaces the price of the same usage from `validFrom`.
   * @throws ResourceNotFound for an unknown service; LaterPriceExists, TooManyPrices
   */
  async set(input: UsagePriceInput): Promise<UsagePrice> {
    const { em, clock, request, graph } = this.deps;
    const { organizationId, id: createdBy } = request.principal;
    const { serviceId } = input;
    if (serviceId) {
      const { service } = await graph.query<{ service: object | null }>(SERVICE, { id: serviceId }, request);
      orNotFound(service, 'service', serviceId);
    }
    return em.transactional(
      async (tx) => {
        // one at a time, so that no two prices of the same usage are valid at the same time
        await advisoryLock(tx, `usage-prices:${organizationId}`);
        // read under the lock, so that a price never begins before the one that it replaces
        const now = clock.now();
        const validFrom = input.validFrom && input.validFrom > now ? input.validFrom : now;
        const draft = draftOf(input, { organizationId, createdBy, validFrom, createdAt: now });
        await this.#replace(tx, draft);
        if ((await tx.count(UsagePrice, { validUntil: null })) >= MAX_PRICES) throw new TooManyPrices(MAX_PRICES);
        tx.persist(draft);
        return draft;
      },
      { clear: true },
    );
  }

  /**
   * Ends a price now. A price that is not valid yet never becomes valid.
   * @throws ResourceNotFound, PriceHasEnded
   */
  async end(id: string): Promise<UsagePrice> {
    const { em, clock, request } = this.deps;
    const now = clock.now();
    return em.transactional(
      async (tx) => {
        const price = orNotFound(await tx.findOne(UsagePrice, { id }, LOCKED), 'usage_price', id);
        if (price.validUntil && price.validUntil <= now) throw new PriceHasEnded(id, price.validUntil);
        price.validUntil = price.validFrom > now ? price.validFrom : now;
        price.endedBy = request.principal.id;
        return price;
      },
      { clear: true },
    );
  }

  list({ serviceId, metric, currency, validAt }: UsagePriceFilter, page: PageInput): Promise<Page<UsagePrice>> {
    const isValid = validAt && [{ validFrom: { $lte: validAt } }, { $or: [{ validUntil: null }, { validUntil: { $gt: validAt } }] }];
    const scope = serviceId ? scopeText({ serviceId }) : undefined;
    const where = matching<UsagePrice>({ scope, metric, currency, $and: isValid ?? undefined });
    return listPage(this.deps.em, UsagePrice, { where, sort: [], page, defaultSort: NEWEST_FIRST });
  }

  /** Ends the prices that a new price replaces. */
  async #replace(tx: EntityManager, { scope, metric, currency, validFrom, createdBy }: UsagePrice): Promise<void> {
    const others = await tx.find(
      UsagePrice,
      { scope, metric, currency, $or: [{ validUntil: null }, { validUntil: { $gt: validFrom } }] },
      { ...LOCKED, orderBy: { id: 'asc' } },
    );
    for (const other of others) {
      if (other.validFrom > validFrom) throw new LaterPriceExists(other.id, other.validFrom);
      Object.assign(other, { validUntil: validFrom, endedBy: createdBy });
    }
    // before the new price, because only one price of the same usage may have no end
    await tx.flush();
  }
}

type Origin = Pick<UsagePrice, 'organizationId' | 'createdBy' | 'validFrom' | 'createdAt'>;

function draftOf(input: UsagePriceInput, origin: Origin): UsagePrice {
  const { metric, currency, model, included, unitPrice, tiers, blockSize, blockPrice } = input;
  const storedTiers = tiers?.map(({ upTo, unitPrice: price }) => ({ upTo: upTo?.toFixed() ?? null, unitPrice: price.toFixed() })) ?? null;
  return Object.assign(new UsagePrice(), origin, {
    ...{ id: newId('usagePrice'), scope: scopeText(input), metric, currency, model },
    ...{ included: included ?? new Decimal(0), unitPrice: unitPrice ?? null },
    ...{ storedTiers, blockSize: blockSize ?? null, blockPrice: blockPrice ?? null },
  });
}
