import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, refuse } from '../../../kernel/errors/errors.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { insertRecord } from '../../../kernel/records/row-writer.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { OrderAccount, OrderedFor } from '../accounts/order-account.ts';
import type { CatalogReader } from '../catalog/catalog-reader.ts';
import { checkNeeds, isOrderable, type OrderableOffer } from '../catalog/offer.ts';
import { installationFee, offerProblems, priceLinesOf } from '../catalog/pricing.ts';
import { enqueueConverge } from '../changes/converge-queue.ts';
import type { CoverageService } from '../coverage/coverage.service.ts';
import { plainLocation } from '../coverage/location.ts';
import { type PriceLine, priceOf } from '../inventory/price-line.ts';
import { Service } from '../inventory/service.entity.ts';
import type { ServiceType } from '../inventory/service.states.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import { type OrderPreview, partsOf, problemsOf } from '../previews/preview.types.ts';
import { LOCATION } from '../products/order-needs.ts';
import { servicesIn } from '../products/product.ts';
import type { Order, OrderDraft, OrderParticulars } from '../products/product-order.ts';
import { productOf, products } from '../products/registry.ts';
import { checkQuoted, type QuotedLine, type QuoteOrders, withQuote } from '../quotes/quote-orders.ts';
import { statusChange } from '../status/service-transition.ts';
import { knownProblems, missingIn, needsOf, settingProblems, wantedOf } from './order-draft.ts';

export interface OrderServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  jobs: Jobs;
  account: OrderAccount;
  catalog: CatalogReader;
  coverage: CoverageService;
  quotes: QuoteOrders;
}

/** Catalog service, size and price of an order. The checks of the order determine them. */
export interface OrderTerms {
  type: ServiceType;
  serviceType: string;
  catalogId: string;
  catalogName: string;
  sla: string | null;
  bandwidthMbps: number | null;
  features: readonly string[];
  configuration: Configuration;
  priceLines: PriceLine[];
  currency: string;
  quantity: number;
  quoteId: string | null;
  termMonths: number | null;
  discountPercent: Decimal;
  oneTimeFee: Decimal;
}

/** The account and the quote line of an order, after they were checked. */
interface OwnedOrder extends OrderedFor {
  quoted: QuotedLine | null;
}

/** An order that may lack data. */
export interface InspectedOrder extends OwnedOrder {
  type: ServiceType;
  /** Names of the features, in the order of the catalog. */
  features: readonly string[];
  /** Names of the data that the order requires, and names of the data that it does not contain: `location`, `bandwidth` or a setting. */
  needs: readonly string[];
  missing: readonly string[];
  /** Terms of the order. Null if the bandwidth or a setting is missing. */
  terms: OrderTerms | null;
}

/** Checks and places orders for services (specification 4.4). */
export class OrderService {
  constructor(private readonly deps: OrderServiceDeps) {}

  /**
   * Places an order for a service of any product. A job then provisions the service.
   * @throws ResourceNotFound if the caller does not see the account
   * @throws AccountNotActive, LocationNotServiceable, ServiceUnavailableAtLocation, InsufficientBandwidth
   * @throws FeatureNeedsOthers, QuoteNotPending, QuoteLineTaken, OrderDiffersFromQuote
   * @throws InvalidParameters for options that the catalog or the product does not have
   */
  async order(order: Order): Promise<Service> {
    const { terms, accountId, billingCycle, quoted } = await this.#prepared(order);
    return this.deps.em.transactional((tx) => this.placeQuoted(tx, terms, quoted, { ...order, accountId, billingCycle }));
  }

  /** Returns the prices of an order, or the reason why it would be refused. Stores nothing. */
  async preview(order: Order): Promise<OrderPreview> {
    try {
      const { priceLines, currency, oneTimeFee } = (await this.#prepared(order)).terms;
      return { problems: [], monthlyPrice: priceOf(priceLines, currency), oneTimeFee, currency, parts: partsOf(priceLines) };
    } catch (error) {
      return { problems: problemsOf(error), monthlyPrice: null, oneTimeFee: null, currency: null, parts: [] };
    }
  }

  /**
   * Runs all checks of an order that may lack data, including the checks of its account and its quote. Data that is present is checked like
   * the data of a complete order. Must be called outside of a transaction.
   * @throws the same errors as `order`, except for missing data
   */
  async inspect(order: Order): Promise<InspectedOrder> {
    const { accountId, billingCycle, quoted } = await this.#owned(order);
    const offer = await this.#offer(order.catalog);
    const needs = needsOf(offer);
    const missing = missingIn(order, needs);
    const isSized = missing.every((name) => name === LOCATION);
    const known = wantedOf(offer, order);
    if (!isSized) refuse(knownProblems(offer, { ...known, features: order.features ?? [] }, missing));
    const terms = isSized ? withQuote(await this.#terms(offer, { ...order, accountId }), quoted) : null;
    const { id: catalogId } = offer.service;
    const compared = { ...known, catalogId, quantity: terms?.quantity ?? 1, accountId, location: order.location };
    if (quoted) checkQuoted(quoted, compared, missing);
    return { type: known.type, features: known.features, needs, missing, accountId, billingCycle, terms, quoted };
  }

  /** Runs all checks of an order, including the checks of its account and its quote. Returns the terms, the account and the quote line. */
  async #prepared(order: Order): Promise<{ terms: OrderTerms } & OwnedOrder> {
    const { accountId, billingCycle, quoted } = await this.#owned(order);
    const terms = withQuote(await this.check({ ...order, accountId }), quoted);
    if (productOf(terms.type).hasLocation && !order.location) throw new InvalidParameters([{ field: LOCATION, reason: 'is required' }]);
    if (quoted) checkQuoted(quoted, { ...terms, accountId, location: order.location });
    return { terms, accountId, billingCycle, quoted };
  }

  async #owned({ accountId, billingCycle, ...order }: Order): Promise<OwnedOrder> {
    const quoted = await this.deps.quotes.find(order);
    const quote = quoted?.quote;
    return { quoted, ...(await this.deps.account.resolve(accountId ?? quote?.accountId, billingCycle ?? quote?.billingCycle)) };
  }

  /**
   * Runs all checks of an order except the checks of its account. Must be called outside of a transaction.
   * @throws the same errors as `order`
   */
  async check(order: OrderDraft): Promise<OrderTerms> {
    return this.#terms(await this.#offer(order.catalog), order);
  }

  async #terms(offer: OrderableOffer, order: OrderDraft): Promise<OrderTerms> {
    const { accountId = null, location } = order;
    const terms = wantedOf(offer, order);
    refuse(settingProblems(offer, terms.configuration));
    const product = productOf(terms.type);
    const { em, coverage } = this.deps;
    await product.check?.({ ...terms, accountId, location: location && plainLocation(location) }, { services: servicesIn(em), coverage });
    const priced = { ...terms, quantity: product.quantityOf?.(terms.configuration) ?? 1 };
    refuse(offerProblems(offer, { ...priced, features: order.features ?? [] }));
    checkNeeds(offer, terms.features);
    const { id: catalogId, name: catalogName, currency } = offer.service;
    const contract = {
      quoteId: null,
      termMonths: null,
      discountPercent: new Decimal(0),
      oneTimeFee: installationFee(offer, priced.quantity, null),
    };
    return { ...priced, ...contract, catalogId, catalogName, currency, priceLines: priceLinesOf(offer, priced) };
  }

  /**
   * Places an order. If the order uses a quote line, also stores that this line was ordered.
   * @throws QuoteNotPending, QuoteLineTaken if another order was faster
   */
  async placeQuoted(tx: EntityManager, terms: OrderTerms, quoted: QuotedLine | null, order: OrderParticulars): Promise<Service> {
    const service = await this.place(tx, terms, order);
    if (quoted) await this.deps.quotes.claim(tx, quoted.line, service);
    return service;
  }

  /** Stores a new service, and the job that provisions it. Both are part of the given transaction. */
  async place(tx: EntityManager, terms: OrderTerms, order: OrderParticulars): Promise<Service> {
    const service = this.create(terms, order);
    await insertRecord(tx, service);
    await insertRecord(tx, statusChange(service, null));
    await productOf(service.type).stored?.(tx, service);
    await enqueueConverge(this.deps.jobs, tx, service);
    return service;
  }

  /** Creates the service of an order, and stores nothing. */
  create({ catalogName, priceLines, quantity: _, ...terms }: OrderTerms, order: OrderParticulars): Service {
    const { accountId, billingCycle, contacts = null } = order;
    const location = order.location && plainLocation(order.location);
    const name = order.name ?? [catalogName, ...(location ? [location.address] : [])].join(', ');
    const { organizationId } = this.deps.request.principal;
    const now = this.deps.clock.now();
    const service = Object.assign(new Service(), terms, { accountId, billingCycle, contacts, location, name });
    Object.assign(service, { storedPriceLines: priceLines, monthlyPrice: priceOf(priceLines, terms.currency) });
    return Object.assign(service, { id: newId('service'), organizationId, createdAt: now, updatedAt: now });
  }

  /**
   * Checks that the catalog service can be ordered.
   * @throws InvalidParameters for the input field `field`. The error lists the ids that can be ordered
   */
  async requireOrderable(catalogId: string, field: string): Promise<void> {
    const ids = (await this.deps.catalog.orderable(...products.map(({ type }) => type))).map(({ id }) => id);
    if (!ids.includes(catalogId)) throw new InvalidParameters([{ field, value: catalogId, reason: `must be one of ${ids.join(', ')}` }]);
  }

  /**
   * Returns the catalog service of an order.
   * @throws InvalidParameters if the catalog does not contain it, or if it cannot be ordered
   */
  async #offer(catalog: OrderDraft['catalog']): Promise<OrderableOffer> {
    const offer = 'id' in catalog ? await this.deps.catalog.offerById(catalog.id) : await this.deps.catalog.offer(catalog.serviceType);
    if (offer && isOrderable(offer)) return offer;
    const [field, value] = 'id' in catalog ? ['catalogId', catalog.id] : ['serviceType', catalog.serviceType];
    throw new InvalidParameters([{ field, value, reason: offer ? 'cannot be ordered yet' : 'is not in the catalog' }]);
  }
}
