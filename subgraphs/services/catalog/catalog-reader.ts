import DataLoader from 'dataloader';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { ResourceNotFound, refuse } from '../../../kernel/errors/errors.ts';
import { shortRead } from '../../../kernel/records/short-read.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { CatalogCategoryRow, CatalogServiceRow } from './catalog.entity.ts';
import type { CatalogCategory, CatalogService as CatalogServiceType, ServiceCatalog } from './catalog.types.ts';
import { isOrderable, type Offer } from './offer.ts';

/** A catalog service with its options and all stored columns. */
type StoredOffer = Offer & { service: Stored };
type Stored = Offer['service'] & Pick<CatalogServiceRow, 'position' | 'retiredAt' | 'revision'>;

/** Reads the service catalog (specification 2.5) from its tables. */
export class CatalogReader {
  readonly #ordered: DataLoader<string, CatalogServiceType>;

  constructor(private readonly em: EntityManager) {
    this.#ordered = new DataLoader(async (ids) => (await this.offersById(ids)).map((offer) => shown(offer as StoredOffer)));
  }

  /**
   * Returns a catalog service that was ordered, even if it is retired. One statement reads all catalog services that a request needs at the
   * same time.
   */
  ordered(id: string): Promise<CatalogServiceType> {
    return this.#ordered.load(id);
  }

  /**
   * Returns the catalog without retired services, with all categories, or only with `category` if it is given.
   * @throws ResourceNotFound for an unknown category
   */
  async read(category?: string | null): Promise<ServiceCatalog> {
    const categories = await this.em.find(CatalogCategoryRow, category ? { name: category } : {}, { orderBy: { position: 'asc' } });
    if (category && categories.length === 0) throw new ResourceNotFound('catalog_category', category);
    const offers = await this.#offers(`s."retired_at" is null`);
    return {
      categories: categories.map(({ name, description }) => ({
        name,
        description,
        services: offers.filter(({ service }) => service.category === name).map(shown),
      })),
    };
  }

  /** Lists all services of the catalog, also retired ones, in the order of the catalog. */
  async all(): Promise<CatalogServiceType[]> {
    const categories = await this.em.find(CatalogCategoryRow, {}, { orderBy: { position: 'asc' } });
    const order = new Map(categories.map(({ name }, index) => [name, index]));
    const offers = await this.#offers('true');
    return offers.map(shown).sort((one, other) => (order.get(one.category) ?? 0) - (order.get(other.category) ?? 0));
  }

  /** Returns a service of the catalog, even if it is retired. Null if the catalog does not contain it. */
  async managed(id: string): Promise<CatalogServiceType | null> {
    const [offer] = await this.#offers('s."id" = ?', id);
    return offer ? shown(offer) : null;
  }

  /** Returns a category with the services that customers see. */
  async withServices({ name, description }: CatalogCategoryRow): Promise<CatalogCategory> {
    const offers = await this.#offers(`s."retired_at" is null and s."category" = ?`, name);
    return { name, description, services: offers.map(shown) };
  }

  /** Returns the catalog service with this `service_type`, such as `fiber`. Null if there is no such service, or if it is retired. */
  async offer(serviceType: string): Promise<Offer | null> {
    return (await this.#offers(`s."retired_at" is null and s."service_type" = ?`, serviceType))[0] ?? null;
  }

  /** Returns the catalog service with this id, such as `business_fiber`. Null if there is no such service, or if it is retired. */
  async offerById(id: string): Promise<Offer | null> {
    return (await this.#offers(`s."retired_at" is null and s."id" = ?`, id))[0] ?? null;
  }

  /** Returns all catalog services that customers see. */
  offers(): Promise<Offer[]> {
    return this.#offers(`s."retired_at" is null`);
  }

  /** Returns a catalog service that was ordered, even if it is retired. */
  async offerOf(catalogId: string): Promise<Offer> {
    const [offer] = await this.offersById([catalogId]);
    if (!offer) throw new Error(`The catalog has no service ${catalogId}.`);
    return offer;
  }

  /** Returns catalog services that were ordered, even if they are retired, in the order of `catalogIds`. */
  async offersById(catalogIds: readonly string[]): Promise<Offer[]> {
    const offers = await this.#offers('s."id" in (select jsonb_array_elements_text(?::jsonb))', JSON.stringify(catalogIds));
    return catalogIds.map((id) => {
      const offer = offers.find(({ service }) => service.id === id);
      if (!offer) throw new Error(`The catalog has no service ${id}.`);
      return offer;
    });
  }

  /** Lists the catalog services that these products build, such as `internet`. */
  orderable(...products: string[]): Promise<CatalogServiceRow[]> {
    return this.em.find(
      CatalogServiceRow,
      { retiredAt: null, product: { $in: products } },
      { orderBy: { category: 'asc', position: 'asc' } },
    );
  }

  /**
   * Returns the ids of all catalog services in these categories, including retired ones, because customers may still
   * have them.
   * @throws InvalidParameters for an unknown category; the field is `category`
   */
  async idsIn(categories: readonly string[]): Promise<string[]> {
    const rows = await this.em.find(CatalogServiceRow, { category: { $in: [...categories] } });
    const found = new Set(rows.map(({ category }) => category));
    if (categories.some((category) => !found.has(category))) await this.#refuseUnknown(categories);
    return rows.map(({ id }) => id);
  }

  async #refuseUnknown(categories: readonly string[]): Promise<void> {
    const known = (await this.em.find(CatalogCategoryRow, {}, { orderBy: { position: 'asc' } })).map(({ name }) => name);
    const problems = categories.map((value, index) => ({
      field: `category.${index}`,
      value,
      reason: `must be one of ${known.join(', ')}`,
    }));
    refuse(problems.filter(({ value }) => !known.includes(value)));
  }

  /**
   * Reads the catalog services that match a condition, in the order of the catalog. It is one fast query, because every order reads a
   * catalog service.
   */
  async #offers(where: string, ...values: string[]): Promise<StoredOffer[]> {
    const rows = await shortRead<OfferRow>(this.em, `${OFFERS} where ${where} order by s."category", s."position", s."id"`, values);
    return rows.map(([service, bandwidths, slas, features]) => ({
      service: {
        ...service,
        startingPrice: new Decimal(service.startingPrice),
        installationFee: new Decimal(service.installationFee),
        retiredAt: service.retiredAt === null ? null : new Date(service.retiredAt),
      },
      bandwidths: bandwidths.map(([mbps, monthlyPrice]) => ({ mbps, monthlyPrice: new Decimal(monthlyPrice) })),
      slas: slas.map(([name, upliftPercent, uptimePercent]) => ({
        name,
        upliftPercent: new Decimal(upliftPercent),
        uptimePercent: new Decimal(uptimePercent),
      })),
      features: features.map(([name, description, monthlyPrice, perUnit, needs]) => ({
        name,
        description,
        monthlyPrice: new Decimal(monthlyPrice),
        perUnit,
        needs,
      })),
    }));
  }
}

/** A catalog service with its options. Prices and percentages are texts, so that they stay exact. */
type OfferRow = [
  service: Omit<Stored, 'startingPrice' | 'installationFee' | 'retiredAt'> & {
    startingPrice: string;
    installationFee: string;
    retiredAt: string | null;
  },
  bandwidths: readonly [mbps: number, monthlyPrice: string][],
  slas: readonly [name: string, upliftPercent: string, uptimePercent: string][],
  features: readonly [name: string, description: string, monthlyPrice: string, perUnit: boolean, needs: string[]][],
];

const OFFERS = `
  select json_build_object('id', s."id", 'category', s."category", 'position', s."position", 'name', s."name", 'description', s."description",
      'product', s."product", 'serviceType', s."service_type", 'startingPrice', s."starting_price"::text,
      'installationFee', s."installation_fee"::text, 'unit', s."unit", 'currency', s."currency", 'retiredAt', s."retired_at",
      'revision', s."revision") as "service",
    coalesce((select json_agg(json_build_array(b."mbps", b."monthly_price"::text) order by b."mbps")
      from "services"."catalog_bandwidth" b where b."service_id" = s."id"), '[]') as "bandwidths",
    coalesce((select json_agg(json_build_array(l."name", l."uplift_percent"::text, l."uptime_percent"::text) order by l."position")
      from "services"."catalog_sla" l where l."service_id" = s."id"), '[]') as "slas",
    coalesce((select json_agg(json_build_array(f."name", f."description", f."monthly_price"::text, f."per_unit", f."needs") order by f."position", f."name")
      from "services"."catalog_feature" f where f."service_id" = s."id"), '[]') as "features"
  from "services"."catalog_service" s`;

function shown(offer: StoredOffer): CatalogServiceType {
  const { service, bandwidths, slas, features } = offer;
  const {
    id,
    name,
    description,
    category,
    position,
    product,
    serviceType,
    retiredAt,
    revision,
    startingPrice,
    installationFee,
    unit,
    currency,
  } = service;
  return {
    id,
    name,
    description,
    category,
    position,
    product,
    retiredAt,
    revision,
    orderable: retiredAt === null && isOrderable(offer),
    serviceType,
    bandwidthOptions: bandwidths.map(({ mbps }) => formatBandwidth(mbps)),
    slaOptions: slas.map((sla) => sla.name),
    pricing: {
      startingPrice,
      installationFee,
      unit,
      currency,
      bandwidthPrices: bandwidths.map(({ mbps, monthlyPrice }) => ({ bandwidth: formatBandwidth(mbps), monthlyPrice })),
      slaUplifts: slas.map((sla) => ({ sla: sla.name, percent: sla.upliftPercent, uptimePercentage: sla.uptimePercent })),
    },
    features: features.map(({ name, description, monthlyPrice, perUnit, needs }) => ({ name, description, monthlyPrice, perUnit, needs })),
  };
}
