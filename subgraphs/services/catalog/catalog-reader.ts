import type { EntityManager } from '../../../kernel/database/database.ts';
import { ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { CatalogBandwidthRow, CatalogCategoryRow, CatalogServiceRow, CatalogSlaRow } from './catalog.entity.ts';
import type { CatalogService as CatalogServiceType, ServiceCatalog } from './catalog.types.ts';
import type { Offer } from './offer.ts';

/** Reads the service catalog (specification 2.5) from its tables. */
export class CatalogReader {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the catalog with all categories, or only with `category` if it is given.
   * @throws ResourceNotFound for an unknown category
   */
  async read(category?: string | null): Promise<ServiceCatalog> {
    const categories = await this.em.find(CatalogCategoryRow, category ? { name: category } : {}, { orderBy: { position: 'asc' } });
    if (category && categories.length === 0) throw new ResourceNotFound('catalog_category', category);
    const services = await this.em.find(
      CatalogServiceRow,
      { category: { $in: categories.map(({ name }) => name) } },
      { orderBy: { position: 'asc' } },
    );
    const offers = await this.#offersOf(services);
    return {
      categories: categories.map(({ name, description }) => ({
        name,
        description,
        services: offers.filter(({ service }) => service.category === name).map(shown),
      })),
    };
  }

  /**
   * Returns the catalog service for a service type, with its bandwidths and service levels. Null if the catalog has no
   * such service.
   */
  async offer(serviceType: string): Promise<Offer | null> {
    const service = await this.em.findOne(CatalogServiceRow, { serviceType });
    if (!service) return null;
    const [offer] = await this.#offersOf([service]);
    return offer ?? null;
  }

  /** Lists the catalog services that can be ordered, because they have a service type. */
  orderable(): Promise<CatalogServiceRow[]> {
    return this.em.find(CatalogServiceRow, { serviceType: { $ne: null } }, { orderBy: { position: 'asc' } });
  }

  async #offersOf(services: readonly CatalogServiceRow[]): Promise<Offer[]> {
    const serviceId = { $in: services.map(({ id }) => id) };
    const bandwidths = await this.em.find(CatalogBandwidthRow, { serviceId }, { orderBy: { mbps: 'asc' } });
    const slas = await this.em.find(CatalogSlaRow, { serviceId }, { orderBy: { position: 'asc' } });
    return services.map((service) => ({
      service,
      bandwidths: bandwidths.filter((row) => row.serviceId === service.id),
      slas: slas.filter((row) => row.serviceId === service.id),
    }));
  }
}

function shown({ service, bandwidths, slas }: Offer): CatalogServiceType {
  const { id, name, description, startingPrice, unit, currency } = service;
  return {
    id,
    name,
    description,
    bandwidthOptions: bandwidths.map(({ mbps }) => formatBandwidth(mbps)),
    slaOptions: slas.map((sla) => sla.name),
    pricing: {
      startingPrice,
      unit,
      currency,
      bandwidthPrices: bandwidths.map(({ mbps, monthlyPrice }) => ({ bandwidth: formatBandwidth(mbps), monthlyPrice })),
      slaUplifts: slas.map((sla) => ({ sla: sla.name, percent: sla.upliftPercent, uptimePercentage: sla.uptimePercent })),
    },
  };
}
