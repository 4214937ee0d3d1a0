import { Decimal, sum } from '../../../kernel/values/money.ts';
import type { ChangeableService } from '../changes/change-application.ts';
import type { Agreement, PlannedChange } from '../changes/change-plan.ts';
import { checkedChange, featurePatch } from '../changes/planned-change.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { priceOf } from '../inventory/price-line.ts';
import type { ServicePatch } from '../inventory/service-terms.ts';
import { problemsOf } from '../previews/preview.types.ts';
import type { ProductReads } from '../products/product.ts';
import { selectionFor } from './feature-closure.ts';
import type { BandwidthOption, FeatureOption, PricedChange, ServiceOptions, SizeOption, SlaOption } from './service-options.types.ts';

/**
 * Computes how one service can be changed: the possible bandwidths, SLAs, features and sizes, with prices. Each possible
 * change is planned and checked as if a customer ordered it.
 */
export class ChangeOptions {
  constructor(
    private readonly reads: ProductReads,
    private readonly subject: ChangeableService,
    /** The terms and the price that the service will have after its due changes. */
    private readonly before: Agreement,
  ) {}

  async all(): Promise<Omit<ServiceOptions, 'reason' | 'currency'>> {
    const [bandwidths, slas, features, size] = await Promise.all([this.#bandwidths(), this.#slas(), this.#features(), this.#size()]);
    return { bandwidths, slas, features, size };
  }

  #bandwidths(): Promise<BandwidthOption[]> {
    return offered(this.subject.offer.bandwidths, async ({ mbps }) => {
      const price = await this.#priced({ bandwidthMbps: mbps });
      return price && { bandwidth: formatBandwidth(mbps), selected: this.before.terms.bandwidthMbps === mbps, ...price };
    });
  }

  #slas(): Promise<SlaOption[]> {
    return offered(this.subject.offer.slas, async ({ name, uptimePercent }) => {
      const price = await this.#priced({ sla: name });
      return price && { sla: name, selected: this.before.terms.sla === name, uptimePercentage: uptimePercent, ...price };
    });
  }

  #features(): Promise<FeatureOption[]> {
    const { offer } = this.subject;
    const present = this.before.terms.features;
    const names = [...new Set([...offer.features.map(({ name }) => name), ...present])];
    return offered(names, async (name) => {
      const { description = null, needs = [] } = offer.features.find((feature) => feature.name === name) ?? {};
      const selection = selectionFor(offer, present, name);
      const price = (await this.#priced(featurePatch(present, selection))) ?? REFUSED;
      return { name, description, selected: present.includes(name), needs, selection, ...price };
    });
  }

  async #size(): Promise<SizeOption | null> {
    const { size } = this.subject.product;
    if (!size) return null;
    const { setting, minimum, maximum } = size;
    const plan = await this.#planned({ configuration: { [setting]: maximum } });
    if (!plan) return null;
    const billed = plan.priceLines.filter(({ quantity }) => quantity === maximum);
    return {
      setting,
      unit: this.subject.offer.service.unit,
      size: this.before.terms.configuration[setting] as number,
      minimum,
      maximum,
      unitPrice: sum(billed.map(({ unitPrice }) => new Decimal(unitPrice))),
    };
  }

  async #priced(patch: ServicePatch): Promise<PricedChange | null> {
    const plan = await this.#planned(patch);
    if (!plan) return null;
    const { currency } = this.subject.offer.service;
    const monthlyPrice = priceOf(plan.priceLines, currency);
    return { monthlyPrice, priceDifference: monthlyPrice.minus(priceOf(this.before.priceLines, currency)) };
  }

  /** Returns the planned result of a change. Null if the change would be refused. */
  async #planned(patch: ServicePatch): Promise<PlannedChange | null> {
    try {
      return await checkedChange(this.reads, this.subject, this.before, patch);
    } catch (error) {
      problemsOf(error); // throws all other errors again
      return null;
    }
  }
}

const REFUSED = { monthlyPrice: null, priceDifference: null };

/** Returns the options for `values` in the same order. Values that would be refused are left out. */
async function offered<V, O>(values: readonly V[], optionOf: (value: V) => Promise<O | null>): Promise<O[]> {
  return (await Promise.all(values.map(optionOf))).filter((option) => option !== null);
}
