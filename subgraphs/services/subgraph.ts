import { Principal } from '../../kernel/access/principal.ts';
import type { Domain, Ports } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { newId } from '../../kernel/records/ids.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { CatalogBandwidthRow, CatalogCategoryRow, CatalogServiceRow, CatalogSlaRow } from './catalog/catalog.entity.ts';
import { CatalogResolver } from './catalog/catalog.resolver.ts';
import { ServiceChange } from './changes/service-change.entity.ts';
import { ServiceChangeResolver, ServiceChangesResolver } from './changes/service-change.resolver.ts';
import { ServicesContext } from './context.ts';
import { createCore, type ServicesPorts } from './core.ts';
import { AvailabilityResolver } from './coverage/availability.resolver.ts';
import { CoverageArea, CoverageTechnology } from './coverage/coverage.entity.ts';
import { Service } from './inventory/service.entity.ts';
import { serviceEvents } from './inventory/service.events.ts';
import { AccountServicesResolver, ServiceResolver } from './inventory/service.resolver.ts';
import { migrations } from './migrations/index.ts';
import { OrderResolver } from './orders/order.resolver.ts';
import { organizationData } from './organization-data.ts';
import { ProvisioningRequest } from './provisioning-requests/provisioning-request.entity.ts';
import { defineBeginning } from './provisioning-requests/provisioning-request.job.ts';
import { ProvisioningRequestResolver } from './provisioning-requests/provisioning-request.resolver.ts';
import { Account } from './references.ts';
import { statusEvents } from './status/status.events.ts';
import { StatusResolver } from './status/status.resolver.ts';
import { StatusChange } from './status/status-change.entity.ts';

/** The services domain: catalog, coverage, internet services and their status (specification 4.3, 4.4). */
export const services: Domain<ServicesPorts> = {
  name: 'services',
  entities: [
    Service,
    StatusChange,
    ServiceChange,
    ProvisioningRequest,
    CatalogCategoryRow,
    CatalogServiceRow,
    CatalogBandwidthRow,
    CatalogSlaRow,
    CoverageArea,
    CoverageTechnology,
  ],
  migrations,
  organizationData,
  events: [...serviceEvents, ...statusEvents],
  live: [
    {
      field: 'serviceStatusChanged',
      subject: 'Service',
      eventField: 'service',
      events: ['service.*'],
      requires: 'services:read',
      description: 'Follow the events of services, such as provisioned, modified, down and restored.',
    },
  ],
  start(ports) {
    const core = createCore(ports);
    defineBeginning(ports, (organizationId) => new ServicesContext(core, actingFor(organizationId, ports)).provisioningRequests);
    return {
      subgraph: buildSubgraph<ServicesContext>({
        name: 'services',
        resolvers: [
          CatalogResolver,
          AvailabilityResolver,
          ServiceResolver,
          StatusResolver,
          OrderResolver,
          ServiceChangeResolver,
          ServiceChangesResolver,
          ProvisioningRequestResolver,
          AccountServicesResolver,
        ],
        orphanedTypes: [Account],
        references: {
          Service: { requires: 'services:read', load: ({ id = '' }, { loaders }) => loaders.services.load(id) },
        },
        createContext: (request) => new ServicesContext(core, request),
      }),
      start: async () => core.changeSweeper.start(),
      stop: () => core.changeSweeper.stop(),
    };
  },
};

const actingFor = (organizationId: string, { log }: Ports): RequestContext => ({
  requestId: newId('request'),
  principal: Principal.system('services.provisioning-request', organizationId),
  log,
});
