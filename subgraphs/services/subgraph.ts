import type { Domain, Ports } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { newId } from '../../kernel/ids.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import { Principal } from '../../kernel/principal.ts';
import type { RequestContext } from '../../kernel/request.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { CatalogBandwidthRow, CatalogCategoryRow, CatalogServiceRow, CatalogSlaRow } from './catalog/catalog.entity.ts';
import { CatalogReader } from './catalog/catalog.reader.ts';
import { CatalogResolver } from './catalog/catalog.resolver.ts';
import type { ServicesContext } from './context.ts';
import { AvailabilityResolver } from './coverage/availability.resolver.ts';
import { CoverageArea, CoverageTechnology } from './coverage/coverage.entity.ts';
import { CoverageService } from './coverage/coverage.service.ts';
import { migrations } from './migrations/index.ts';
import { OrderResolver } from './orders/order.resolver.ts';
import { OrderService } from './orders/order.service.ts';
import type { ConnectivityProvider } from './providers/connectivity.provider.ts';
import { SimulatedConnectivityProvider } from './providers/simulated.provider.ts';
import { defineProvisioning } from './provisioning/provisioning.job.ts';
import { ProvisioningRequest } from './provisioning-requests/provisioning-request.entity.ts';
import { defineBeginning } from './provisioning-requests/provisioning-request.job.ts';
import { ProvisioningRequestResolver } from './provisioning-requests/provisioning-request.resolver.ts';
import { ProvisioningRequestService } from './provisioning-requests/provisioning-request.service.ts';
import { Account } from './references.ts';
import { Service } from './services/service.entity.ts';
import { serviceEvents } from './services/service.events.ts';
import { AccountServicesResolver, ServiceResolver } from './services/service.resolver.ts';
import { ServiceService } from './services/service.service.ts';
import { statusEvents } from './status/status.events.ts';
import { StatusResolver } from './status/status.resolver.ts';
import { StatusService } from './status/status.service.ts';
import { StatusChange } from './status/status-change.entity.ts';

export interface ServicesPorts extends Ports {
  /** Who builds and measures internet lines. Default: the simulator. */
  connectivity?: ConnectivityProvider;
}

/** Services: catalog, coverage, internet services and how they do (specification 4.3, 4.4). */
export const services: Domain<ServicesPorts> = {
  name: 'services',
  entities: [
    Service,
    StatusChange,
    ProvisioningRequest,
    CatalogCategoryRow,
    CatalogServiceRow,
    CatalogBandwidthRow,
    CatalogSlaRow,
    CoverageArea,
    CoverageTechnology,
  ],
  migrations,
  events: [...serviceEvents, ...statusEvents],
  start({ connectivity = new SimulatedConnectivityProvider(), ...ports }) {
    defineProvisioning({ ...ports, connectivity });
    const requests = new RecordReader(ports, ProvisioningRequest);
    defineBeginning(ports.jobs, (organizationId) => orderingFor(ports, requests, actingFor(organizationId, ports)).provisioningRequests);
    return { subgraph: createSubgraph({ ...ports, connectivity }, requests) };
  },
};

/** What orders are placed with, for a request or for the job that acts in its stead. */
function orderingFor({ orm, clock, graph, jobs }: Ports, reader: RecordReader<ProvisioningRequest>, request: RequestContext) {
  const em = organizationEm(orm, request.principal.organizationId);
  const [catalog, coverage] = [new CatalogReader(em), new CoverageService(em)];
  const orders = new OrderService({ em, request, clock, graph, jobs, catalog, coverage });
  const provisioningRequests = new ProvisioningRequestService({ em, request, clock, jobs, orders, reader });
  return { em, catalog, coverage, orders, provisioningRequests };
}

const actingFor = (organizationId: string, { log }: Ports): RequestContext => ({
  requestId: newId('request'),
  principal: Principal.system('services.provisioning-request', organizationId),
  log,
});

function createSubgraph(ports: Required<ServicesPorts>, requests: RecordReader<ProvisioningRequest>): Subgraph {
  const { rows, clock, connectivity } = ports;
  const serviceReader = new RecordReader(ports, Service);
  const changeReader = new RecordReader(ports, StatusChange);
  return buildSubgraph<ServicesContext>({
    name: 'services',
    resolvers: [
      CatalogResolver,
      AvailabilityResolver,
      ServiceResolver,
      StatusResolver,
      OrderResolver,
      ProvisioningRequestResolver,
      AccountServicesResolver,
    ],
    orphanedTypes: [Account],
    references: {
      Service: { requires: 'services:read', load: ({ id = '' }, { loaders }) => loaders.services.load(id) },
    },
    createContext(request) {
      const { principal, log } = request;
      const { organizationId } = principal;
      const { em, ...ordering } = orderingFor(ports, requests, request);
      const loaders = {
        services: serviceReader.forOrganization(organizationId),
        statusChanges: changeReader.forOrganization(organizationId),
        provisioningRequests: requests.forOrganization(organizationId),
      };
      return {
        principal,
        loaders,
        ...ordering,
        services: new ServiceService(em, loaders.services),
        statuses: new StatusService({ rows, organizationId, clock, log, connectivity }),
      };
    },
  });
}
