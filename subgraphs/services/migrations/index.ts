import { services } from './0001-services.ts';
import { catalog } from './0002-catalog.ts';
import { coverage } from './0003-coverage.ts';
import { provisioningRequests } from './0004-provisioning-requests.ts';
import { retention } from './0005-retention.ts';
import { tracing } from './0006-tracing.ts';
import { serviceChanges } from './0007-service-changes.ts';
import { jobNumber } from './0008-job-number.ts';
import { catalogProducts } from './0009-catalog-products.ts';
import { serviceTerms } from './0010-service-terms.ts';
import { coverageMap } from './0011-coverage-map.ts';
import { maintenanceWindows } from './0012-maintenance-windows.ts';
import { catalogManagement } from './0013-catalog-management.ts';
import { quotes } from './0014-quotes.ts';
import { bulks } from './0015-bulks.ts';
import { sipTrunks } from './0016-sip-trunks.ts';
import { samples } from './0017-samples.ts';
import { suspension } from './0018-suspension.ts';
import { serviceSearch } from './0020-service-search.ts';
import { serviceSearchIndexes } from './0021-service-search-indexes.ts';
import { maintenanceTimes } from './0022-maintenance-times.ts';
import { serviceBlock } from './0023-service-block.ts';
import { outboxNotification } from './0024-outbox-notification.ts';
import { serviceTally } from './0025-service-tally.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [
  services,
  catalog,
  coverage,
  provisioningRequests,
  retention,
  tracing,
  serviceChanges,
  jobNumber,
  catalogProducts,
  serviceTerms,
  coverageMap,
  maintenanceWindows,
  catalogManagement,
  quotes,
  bulks,
  sipTrunks,
  samples,
  suspension,
  serviceSearch,
  serviceSearchIndexes,
  maintenanceTimes,
  serviceBlock,
  outboxNotification,
  serviceTally,
];
