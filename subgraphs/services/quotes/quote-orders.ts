import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { changesBetween } from '../../../kernel/records/changes.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import type { PartialLocation } from '../coverage/location.ts';
import type { PriceLine } from '../inventory/price-line.ts';
import type { Service } from '../inventory/service.entity.ts';
import type { Order } from '../products/product-order.ts';
import { Quote } from './quote.entity.ts';
import { OrderDiffersFromQuote, QuoteLineTaken, QuoteNotPending } from './quote.errors.ts';
import { QuoteStatus } from './quote.states.ts';
import { QuoteLine } from './quote-line.entity.ts';

/** A line of a quote that an order uses. */
export interface QuotedLine {
  quote: Quote;
  line: QuoteLine;
}

/** The fields of an order that must agree with the line of its quote. */
interface OrderedTerms {
  catalogId: string;
  sla: string | null;
  bandwidthMbps: number | null;
  features: readonly string[];
  quantity: number;
}

/** Uses quotes in orders. Each line of a quote can be ordered once. */
export class QuoteOrders {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the quote line that an order uses: the named line, otherwise the first unordered line of the ordered catalog service. If no line
   * has this service, the first unordered line, so that the comparison shows the difference. Returns null if the order refers to no quote.
   * @throws ResourceNotFound, QuoteNotPending, QuoteLineTaken
   */
  async find({ quoteId, quoteLine, catalog }: Pick<Order, 'quoteId' | 'quoteLine' | 'catalog'>): Promise<QuotedLine | null> {
    if (!quoteId) return null;
    const quote = orNotFound(await this.em.findOne(Quote, { id: quoteId }), 'quote', quoteId);
    this.#checkPending(quote);
    const lines = await this.em.find(QuoteLine, { quoteId, serviceId: null, available: true }, { orderBy: { position: 'asc' } });
    const isOrdered = ({ catalogId, serviceType }: QuoteLine): boolean =>
      'id' in catalog ? catalogId === catalog.id : serviceType === catalog.serviceType;
    const isNamed = quoteLine !== null && quoteLine !== undefined;
    const line = isNamed ? lines.find(({ position }) => position === quoteLine) : (lines.find(isOrdered) ?? lines[0]);
    if (!line) throw new QuoteLineTaken(quoteId, quoteLine ?? null);
    return { quote, line };
  }

  /**
   * Stores which service was ordered with a quote line. The quote becomes accepted when all its available lines are ordered.
   * @throws QuoteNotPending, QuoteLineTaken if another order has used the line
   */
  async claim(tx: EntityManager, { quoteId, position }: QuoteLine, service: Service): Promise<void> {
    const quote = orNotFound(await tx.findOne(Quote, { id: quoteId }, { ...LOCKED, refresh: true }), 'quote', quoteId);
    this.#checkPending(quote);
    const lines = await tx.find(QuoteLine, { quoteId, available: true }, { refresh: true });
    const line = lines.find((one) => one.position === position);
    if (!line || line.serviceId !== null) throw new QuoteLineTaken(quoteId, position);
    line.serviceId = service.id;
    if (lines.every(({ serviceId }) => serviceId !== null))
      Object.assign(quote, { decision: QuoteStatus.ACCEPTED, updatedAt: this.clock.now() });
  }

  /**
   * Checks that a quote is pending.
   * @throws QuoteNotPending
   */
  #checkPending(quote: Quote): void {
    const status = quote.statusAt(this.clock.now());
    if (status !== QuoteStatus.PENDING) throw new QuoteNotPending(quote.id, status);
  }
}

/** Replaces the prices of an order with the prices of the quote. */
export const withQuote = <T extends { priceLines: PriceLine[] }>(terms: T, quoted: QuotedLine | null): T => {
  if (!quoted) return terms;
  const { id: quoteId, termMonths, discountPercent } = quoted.quote;
  const { priceLines, oneTimePrice: oneTimeFee } = quoted.line;
  return { ...terms, priceLines, quoteId, termMonths, discountPercent, oneTimeFee };
};

/**
 * Compares an order with the line of its quote. If the order still lacks data (`missing`), the value that follows from this
 * data is not compared: the ZIP code, the bandwidth or the quantity.
 * @throws OrderDiffersFromQuote if the order is not for the service that was quoted
 */
export function checkQuoted(
  { quote, line }: QuotedLine,
  order: OrderedTerms & { accountId: string; location: PartialLocation | null },
  missing: readonly string[] = [],
): void {
  const quoted = shown({ ...line, quantity: line.users, accountId: quote.accountId });
  const unknown = [...missing.map((name) => FOLLOWING[name] ?? 'quantity'), ...(line.location ? [] : ['zip'])];
  const ordered = Object.fromEntries(Object.entries(shown(order)).filter(([name]) => !unknown.includes(name)));
  const differences = changesBetween(quoted, ordered);
  if (Object.keys(differences).length > 0) throw new OrderDiffersFromQuote(quote.id, line.position, differences);
}

/**
 * Maps a field of an order to the quoted value that depends on it. Fields that are not listed are settings, on which the quantity depends.
 */
const FOLLOWING: Readonly<Record<string, string>> = { location: 'zip', bandwidth: 'bandwidth' };

const shown = ({
  catalogId,
  sla,
  bandwidthMbps,
  features,
  quantity,
  accountId,
  location,
}: OrderedTerms & { accountId: string; location: PartialLocation | null }): Record<string, unknown> => ({
  catalog_id: catalogId,
  account_id: accountId,
  sla,
  bandwidth: bandwidthMbps === null ? null : formatBandwidth(bandwidthMbps),
  // a quote keeps the order that the catalog had
  features: features.toSorted(),
  quantity,
  zip: location?.zip.slice(0, 5) ?? null,
});
