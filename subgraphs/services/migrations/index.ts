import { services } from './0001-services.ts';
import { catalog } from './0002-catalog.ts';
import { coverage } from './0003-coverage.ts';
import { provisioningRequests } from './0004-provisioning-requests.ts';
import { retention } from './0005-retention.ts';
import { tracing } from './0006-tracing.ts';
import { serviceChanges } from './0007-service-changes.ts';
import { jobNumber } from './0008-job-number.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [services, catalog, coverage, provisioningRequests, retention, tracing, serviceChanges, jobNumber];
