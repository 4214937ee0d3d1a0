import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { CatalogReader } from './catalog/catalog.reader.ts';
import type { CoverageService } from './coverage/coverage.service.ts';
import type { OrderService } from './orders/order.service.ts';
import type { ProvisioningRequest } from './provisioning-requests/provisioning-request.entity.ts';
import type { ProvisioningRequestService } from './provisioning-requests/provisioning-request.service.ts';
import type { Service } from './services/service.entity.ts';
import type { ServiceService } from './services/service.service.ts';
import type { StatusService } from './status/status.service.ts';
import type { StatusChange } from './status/status-change.entity.ts';

/** What the resolvers of one request work with. */
export interface ServicesContext {
  principal: Principal;
  catalog: CatalogReader;
  coverage: CoverageService;
  services: ServiceService;
  statuses: StatusService;
  orders: OrderService;
  provisioningRequests: ProvisioningRequestService;
  loaders: {
    services: RecordLoader<Service>;
    statusChanges: RecordLoader<StatusChange>;
    provisioningRequests: RecordLoader<ProvisioningRequest>;
  };
}
