import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, InvalidParameters, PlatformError, refuse } from '../../../kernel/errors/errors.ts';
import { withoutPrefix } from '../../../kernel/errors/field-names.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import type { OrderAccount } from '../accounts/order-account.ts';
import { CatalogTermDiscountRow } from '../catalog/catalog.entity.ts';
import type { CatalogReader } from '../catalog/catalog-reader.ts';
import { checkNeeds, inCatalogOrder, isOrderable, type Offer } from '../catalog/offer.ts';
import { defaultSla, installationFee, offerProblems, type PricedTerms, priceLinesOf } from '../catalog/pricing.ts';
import { mbpsOf } from '../coverage/bandwidth.ts';
import type { CoverageService } from '../coverage/coverage.service.ts';
import type { PartialLocation } from '../coverage/location.ts';
import { AccessTechnology } from '../coverage/technology.ts';
import { priceOf } from '../inventory/price-line.ts';
import { quantitiesOf, servicesIn } from '../products/product.ts';
import { productOf } from '../products/registry.ts';
import { Quote } from './quote.entity.ts';
import { QuoteNotPending } from './quote.errors.ts';
import {
  type BillingPreferencesInput,
  type FiberQuoteInput,
  type QuoteFilter,
  type QuoteInput,
  type QuoteLineInput,
  termOf,
} from './quote.inputs.ts';
import { QuoteStatus } from './quote.states.ts';
import { QuoteLine, type QuoteLineError } from './quote-line.entity.ts';

const VALID_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface QuoteServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  account: OrderAccount;
  catalog: CatalogReader;
  coverage: CoverageService;
}

/** A line of a quote with its catalog service. */
interface OfferedLine {
  input: QuoteLineInput;
  offer: Offer;
}

interface Term {
  months: number | null;
  discountPercent: Decimal;
}

/** Creates and rejects quotes with prices of services (specification 4.3, 4.4). */
export class QuoteService {
  constructor(private readonly deps: QuoteServiceDeps) {}

  /**
   * Creates a quote. A line that cannot be ordered contains the error that an order would return.
   * @throws InvalidParameters for values that the catalog does not have, ResourceNotFound, AccountNotActive
   */
  create({ services, accountId, billingPreferences }: QuoteInput): Promise<Quote> {
    return this.#create(services, accountId, billingPreferences);
  }

  /**
   * Creates a quote for one fiber line.
   * @throws LocationNotServiceable, ServiceUnavailableAtLocation, InsufficientBandwidth, and the errors of `create`
   */
  createForFiber({ accountId, billingPreferences, ...line }: FiberQuoteInput): Promise<Quote> {
    const refuseLine = (error: PlatformError): never => {
      throw error;
    };
    const services = [{ ...line, type: AccessTechnology.FIBER }];
    return this.#create(services, accountId, billingPreferences, refuseLine).catch(withoutPrefix('services.0'));
  }

  /** Rejects a quote, so that it can no longer be ordered. @throws ResourceNotFound, QuoteNotPending */
  reject(id: string): Promise<Quote> {
    return this.deps.em.transactional(async (tx) => {
      const quote = orNotFound(await tx.findOne(Quote, { id }, LOCKED), 'quote', id);
      const now = this.deps.clock.now();
      const status = quote.statusAt(now);
      if (status !== QuoteStatus.PENDING) throw new QuoteNotPending(id, status);
      return Object.assign(quote, { decision: QuoteStatus.REJECTED, updatedAt: now });
    });
  }

  list({ accountId }: QuoteFilter, page: PageInput): Promise<Page<Quote>> {
    return listPage(this.deps.em, Quote, { where: matching<Quote>({ accountId }), sort: [], page, defaultSort: NEWEST_FIRST });
  }

  async #create(
    services: readonly QuoteLineInput[],
    accountId: string | null | undefined,
    preferences: BillingPreferencesInput | null | undefined,
    onError?: (error: PlatformError) => void,
  ): Promise<Quote> {
    const { accountId: account, billingCycle } = await this.deps.account.resolve(accountId, preferences?.cycle);
    const term = await this.#term(preferences?.term ?? null);
    const offered = await this.#offered(services);
    const id = newId('quote');
    const { organizationId } = this.deps.request.principal;
    const lines: QuoteLine[] = [];
    for (const [position, one] of offered.entries()) {
      const line = await this.#lineOf(one, term, onError);
      lines.push(Object.assign(line, { quoteId: id, position, organizationId }));
    }
    const now = this.deps.clock.now();
    const quote = Object.assign(new Quote(), { id, organizationId, accountId: account, createdAt: now, updatedAt: now });
    Object.assign(quote, {
      billingCycle,
      termMonths: term.months,
      discountPercent: term.discountPercent,
      monthlyTotal: sum(lines.filter(({ available }) => available).map(({ monthlyPrice }) => monthlyPrice)),
      oneTimeTotal: sum(lines.filter(({ available }) => available).map(({ oneTimePrice }) => oneTimePrice)),
      currency: offered[0]?.offer.service.currency,
      validUntil: new Date(now.getTime() + VALID_DAYS * DAY_MS),
    });
    await this.deps.em.transactional(async (tx) => void tx.persist([quote, ...lines]));
    return quote;
  }

  async #term(text: string | null): Promise<Term> {
    const months = text === null ? null : termOf(text);
    const rows = await this.deps.em.find(
      CatalogTermDiscountRow,
      { months: { $lte: months ?? 0 } },
      { orderBy: { months: 'desc' }, limit: 1 },
    );
    return { months, discountPercent: rows[0]?.percent ?? new Decimal(0) };
  }

  /** Finds the catalog services of the lines. @throws InvalidParameters with the problems of all lines */
  async #offered(services: readonly QuoteLineInput[]): Promise<OfferedLine[]> {
    const offers = await this.deps.catalog.offers();
    const problems: FieldProblem[] = [];
    const found = services.flatMap((input, index): OfferedLine[] => {
      const offer = offers.find(({ service }) => service.id === input.type || service.serviceType === input.type);
      const types = offers.map(({ service }) => service.serviceType ?? service.id);
      if (!offer) problems.push({ field: `services.${index}.type`, value: input.type, reason: `must be one of ${types.join(', ')}` });
      else
        problems.push(
          ...offerProblems(offer, { ...termsOf({ input, offer }), features: input.features ?? [] }).map((one) => ({
            ...one,
            field: `services.${index}.${one.field}`,
          })),
        );
      return offer ? [{ input, offer }] : [];
    });
    refuse(problems);
    return found;
  }

  async #lineOf(line: OfferedLine, { months, discountPercent }: Term, onError?: (error: PlatformError) => void): Promise<QuoteLine> {
    const { offer, input } = line;
    const terms = termsOf(line);
    const priceLines = priceLinesOf(offer, { ...terms, discountPercent });
    const error = await this.#errorOf(line).catch((thrown: unknown) => {
      if (!(thrown instanceof PlatformError) || thrown.status >= 500) throw thrown;
      onError?.(thrown);
      return { code: thrown.code, message: thrown.message, details: thrown.details };
    });
    return Object.assign(new QuoteLine(), {
      catalogId: offer.service.id,
      serviceType: offer.service.serviceType ?? offer.service.id,
      bandwidthMbps: terms.bandwidthMbps,
      sla: terms.sla,
      users: terms.quantity,
      features: terms.features,
      location: input.location && hasLocation(offer) ? { ...input.location } : null,
      available: error === null,
      error,
      priceLines,
      monthlyPrice: priceOf(priceLines, offer.service.currency),
      oneTimePrice: installationFee(offer, terms.quantity, months),
    });
  }

  /**
   * Checks whether a line can be ordered. Returns the error that an order of the line would get, or null. Throws errors that make the whole
   * quote invalid.
   */
  async #errorOf(line: OfferedLine): Promise<QuoteLineError | null> {
    const { offer, input } = line;
    if (!isOrderable(offer)) return { code: 'INVALID_PARAMETERS', message: `${offer.service.name} cannot be ordered yet.`, details: {} };
    const { bandwidthMbps, sla, features, quantity } = termsOf(line);
    const product = productOf(offer.service.product);
    const { minimum, maximum } = quantitiesOf(product);
    if (quantity < minimum || quantity > maximum) {
      const reason = minimum === maximum ? `must be ${minimum}` : `must be between ${minimum} and ${maximum}`;
      throw new InvalidParameters([{ field: 'users', value: quantity, reason }]);
    }
    checkNeeds(offer, features);
    if (!input.location || !product.hasLocation) return null;
    const wanted = {
      serviceType: offer.service.serviceType ?? offer.service.id,
      bandwidthMbps,
      sla,
      features,
      accountId: null,
      configuration: {},
    };
    const { em, coverage } = this.deps;
    await product.check?.({ ...wanted, location: fullLocation(input.location) }, { services: servicesIn(em), coverage });
    return null;
  }
}

const termsOf = ({ input: { bandwidth, sla, features, users }, offer }: OfferedLine): PricedTerms & { features: string[] } => ({
  bandwidthMbps: bandwidth ? mbpsOf(bandwidth) : null,
  sla: sla ?? defaultSla(offer),
  features: inCatalogOrder(offer, features ?? []),
  quantity: users ?? (isOrderable(offer) ? quantitiesOf(productOf(offer.service.product)).minimum : 1),
});

/** Returns false if the catalog service is ordered without a place. An order then has no place that could agree with the quote. */
const hasLocation = (offer: Offer): boolean => !isOrderable(offer) || productOf(offer.service.product).hasLocation;

/** Converts a partial address to a full location. Missing parts become empty, because coverage depends only on the ZIP code. */
const fullLocation = ({ address, city, state, zip }: PartialLocation) => ({
  address: address ?? '',
  city: city ?? '',
  state: state ?? '',
  zip,
});
