import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { requestOf } from '../../kernel/request.ts';
import { AnalyticsResolver } from './analytics/analytics.resolver.ts';
import { AvailabilityAnalyticsResolver } from './analytics/availability.resolver.ts';
import { AvailabilityResolver } from './availability/availability.resolver.ts';
import { Bulk } from './bulk/bulk.entity.ts';
import { bulkEvents } from './bulk/bulk.events.ts';
import { BulkItemResolver, BulkResolver } from './bulk/bulk.resolver.ts';
import { BulkItem } from './bulk/bulk-item.entity.ts';
import { CarrierAreaRow, CarrierRow } from './carriers/carrier.entity.ts';
import { CarrierResolver } from './carriers/carrier.resolver.ts';
import {
  CatalogBandwidthRow,
  CatalogCategoryRow,
  CatalogFeatureRow,
  CatalogServiceRow,
  CatalogSlaRow,
  CatalogTermDiscountRow,
} from './catalog/catalog.entity.ts';
import { catalogEvents } from './catalog/catalog.events.ts';
import { CatalogResolver } from './catalog/catalog.resolver.ts';
import { CatalogManagementResolver } from './catalog-management/catalog-management.resolver.ts';
import { CatalogPriceChange } from './catalog-management/catalog-price-change.entity.ts';
import { TermDiscountResolver } from './catalog-management/term-discount.resolver.ts';
import { ServiceBlock } from './changes/service-block.entity.ts';
import { ServiceChange } from './changes/service-change.entity.ts';
import { ServiceChangeResolver, ServiceChangesResolver } from './changes/service-change.resolver.ts';
import { ServiceUpdateResolver } from './changes/service-update.resolver.ts';
import { ServicesContext } from './context.ts';
import { createCore, type ServicesPorts } from './core.ts';
import { CoverageArea, CoverageTechnology } from './coverage/coverage.entity.ts';
import { CoverageMapResolver } from './coverage/coverage-map.resolver.ts';
import { CoverageManagementResolver } from './coverage-management/coverage-management.resolver.ts';
import { Service } from './inventory/service.entity.ts';
import { serviceEvents } from './inventory/service.events.ts';
import { AccountServicesResolver, ServiceResolver } from './inventory/service.resolver.ts';
import { maintenanceEvents } from './maintenance/maintenance.events.ts';
import { ChangeMaintenanceResolver, MaintenanceResolver, MaintenanceWindowResolver } from './maintenance/maintenance.resolver.ts';
import { MaintenanceWindow } from './maintenance/maintenance-window.entity.ts';
import { MetricsResolver } from './metrics/metrics.resolver.ts';
import { migrations } from './migrations/index.ts';
import { ServiceOptionsResolver } from './options/service-options.resolver.ts';
import { OrderResolver } from './orders/order.resolver.ts';
import { organizationData } from './organization-data.ts';
import { InternetResolver } from './products/internet/internet.resolver.ts';
import { NetworkResolver } from './products/network/network.resolver.ts';
import { ServiceDetailResolver } from './products/product.resolver.ts';
import { SipTrunkResolver } from './products/sip-trunk/sip-trunk.resolver.ts';
import { ProvisioningRequest } from './provisioning-requests/provisioning-request.entity.ts';
import { defineBeginning } from './provisioning-requests/provisioning-request.job.ts';
import { ProvisioningRequestResolver } from './provisioning-requests/provisioning-request.resolver.ts';
import { Quote } from './quotes/quote.entity.ts';
import { QuoteLineResolver, QuoteResolver, ServiceQuoteResolver } from './quotes/quote.resolver.ts';
import { QuoteLine } from './quotes/quote-line.entity.ts';
import { Account, AnalyticsScope } from './references.ts';
import { statusEvents } from './status/status.events.ts';
import { StatusResolver } from './status/status.resolver.ts';
import { StatusChange } from './status/status-change.entity.ts';
import { accountSuspension } from './suspension/account-suspension.reaction.ts';
import { servicesMeasured } from './telemetry/measured.events.ts';
import { usageRecorded } from './telemetry/usage.events.ts';
import { TimelineEntryResolver, TimelineResolver } from './timeline/timeline.resolver.ts';

/** The services domain: catalog, coverage, internet services and their status (specification 4.3, 4.4). */
export const services: Domain<ServicesPorts> = {
  name: 'services',
  entities: [
    Service,
    StatusChange,
    ServiceChange,
    ServiceBlock,
    MaintenanceWindow,
    Bulk,
    BulkItem,
    ProvisioningRequest,
    CatalogCategoryRow,
    CatalogServiceRow,
    CatalogBandwidthRow,
    CatalogSlaRow,
    CatalogTermDiscountRow,
    Quote,
    QuoteLine,
    CatalogFeatureRow,
    CatalogPriceChange,
    CoverageArea,
    CoverageTechnology,
    CarrierRow,
    CarrierAreaRow,
  ],
  tablesWithoutEntity: ['service_sample', 'service_sample_day', 'service_measurement', 'account_suspension'],
  migrations,
  organizationData,
  events: [
    ...serviceEvents,
    ...bulkEvents,
    ...statusEvents,
    ...catalogEvents,
    ...maintenanceEvents,
    usageRecorded.type,
    servicesMeasured.type,
  ],
  live: [
    {
      field: 'serviceStatusChanged',
      subject: 'Service',
      eventField: 'service',
      events: ['service.*'],
      requires: 'services:read',
      description: 'Follow the events of services, such as provisioned, modified, down and restored.',
    },
    {
      field: 'bulkProgressed',
      subject: 'Bulk',
      eventField: 'bulk',
      events: ['bulk.*'],
      requires: 'services:read',
      description: 'Follow the progress of bulks, at most four times a second for each bulk.',
    },
    {
      field: 'maintenanceUpdated',
      subject: 'MaintenanceWindow',
      eventField: 'maintenanceWindow',
      events: ['maintenance.*'],
      requires: 'monitoring:read',
      description: 'Follow maintenance windows: planned, changed, started, ended and cancelled.',
    },
  ],
  start(ports) {
    const core = createCore(ports);
    const work = [...core.sweepers, core.retention, core.search, core.counters];
    defineBeginning(
      ports,
      (organizationId) =>
        new ServicesContext(core, requestOf('services.provisioning-request', organizationId, ports.log)).provisioningRequests,
    );
    return {
      subgraph: buildSubgraph<ServicesContext>({
        name: 'services',
        resolvers: [
          CatalogResolver,
          CatalogManagementResolver,
          AvailabilityResolver,
          CoverageMapResolver,
          CoverageManagementResolver,
          CarrierResolver,
          ServiceResolver,
          StatusResolver,
          MetricsResolver,
          AnalyticsResolver,
          OrderResolver,
          ServiceChangeResolver,
          ServiceChangesResolver,
          ServiceUpdateResolver,
          ServiceOptionsResolver,
          ServiceDetailResolver,
          InternetResolver,
          NetworkResolver,
          SipTrunkResolver,
          QuoteResolver,
          QuoteLineResolver,
          ServiceQuoteResolver,
          MaintenanceResolver,
          MaintenanceWindowResolver,
          ChangeMaintenanceResolver,
          TermDiscountResolver,
          TimelineResolver,
          TimelineEntryResolver,
          BulkResolver,
          BulkItemResolver,
          ProvisioningRequestResolver,
          AccountServicesResolver,
          AvailabilityAnalyticsResolver,
        ],
        orphanedTypes: [Account, AnalyticsScope],
        references: {
          Service: { requires: 'services:read', load: ({ id = '' }, { loaders }) => loaders.services.load(id) },
          Bulk: { requires: 'services:read', load: ({ id = '' }, { loaders }) => loaders.bulks.load(id) },
          MaintenanceWindow: { requires: 'monitoring:read', load: ({ id = '' }, { loaders }) => loaders.maintenanceWindows.load(id) },
        },
        createContext: (request) => new ServicesContext(core, request),
      }),
      reactions: [accountSuspension(ports)],
      retained: core.retained,
      start: async () => {
        for (const one of work) one.start();
      },
      stop: async () => void (await Promise.all(work.map((one) => one.stop()))),
    };
  },
};
