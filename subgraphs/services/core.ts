import type { Ports } from '../../kernel/domain.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Counters } from '../../kernel/tally/counters.ts';
import { RetentionTask } from '../../kernel/work/retention.ts';
import { Bulk } from './bulk/bulk.entity.ts';
import { bulkSweeper, defineBulk } from './bulk/bulk.job.ts';
import { BulkItem } from './bulk/bulk-item.entity.ts';
import { defineConverge } from './changes/converge.job.ts';
import { serviceBlockSweeper } from './changes/service-block.sweeper.ts';
import { ServiceChange } from './changes/service-change.entity.ts';
import { changeApplicationSweeper, serviceChangeSweeper } from './changes/service-change.sweeper.ts';
import { Service } from './inventory/service.entity.ts';
import { ServiceSearch } from './inventory/service-search.ts';
import { SERVICE_ACCOUNT_TALLY, SERVICE_TALLY } from './inventory/service-tallies.ts';
import { maintenanceSweeper } from './maintenance/maintenance.sweeper.ts';
import { MaintenanceWindow } from './maintenance/maintenance-window.entity.ts';
import type { ServiceProvider } from './providers/service.provider.ts';
import { SimulatedProvider } from './providers/simulated.provider.ts';
import { ProvisioningRequest } from './provisioning-requests/provisioning-request.entity.ts';
import { Quote } from './quotes/quote.entity.ts';
import { QuoteLine } from './quotes/quote-line.entity.ts';
import { sampleRetention } from './samples/sample.retention.ts';
import { samplePartitions } from './samples/sample-partitions.ts';
import { type SampleStore, SampleTable } from './samples/sample-store.ts';
import { StatusChange } from './status/status-change.entity.ts';
import { telemetrySweeper } from './telemetry/telemetry.sweeper.ts';

export interface ServicesPorts extends Ports {
  /** Provider that builds and measures services. Default: SimulatedProvider. */
  connectivity?: ServiceProvider;
  /** Interval at which each service is measured, in seconds. Default: 60. */
  measureSeconds?: number;
  /** Number of days for which measurements are kept. Default: 62. */
  sampleRetentionDays?: number;
}

const RETENTION_MS = 600_000;

/** Objects that exist once per process. All requests and jobs share these objects. */
export type ServicesCore = ReturnType<typeof createCore>;

export function createCore({
  connectivity = new SimulatedProvider(),
  measureSeconds = 60,
  sampleRetentionDays: days = 62,
  ...given
}: ServicesPorts) {
  const ports = { ...given, connectivity };
  const { orm, rows, clock, log } = ports;
  const partitions = samplePartitions(orm);
  const samples: SampleStore = new SampleTable(rows, partitions);
  const retained = sampleRetention({ rows, partitions, days, clock });
  defineConverge(ports);
  defineBulk(ports);
  return {
    ports,
    samples,
    search: new ServiceSearch(ports),
    counters: new Counters(ports, SERVICE_TALLY, SERVICE_ACCOUNT_TALLY),
    retained,
    retention: new RetentionTask({ name: 'services.samples', everyMs: RETENTION_MS, log }, () => retained),
    sweepers: [
      serviceChangeSweeper(ports),
      changeApplicationSweeper(ports),
      serviceBlockSweeper(ports),
      maintenanceSweeper(ports),
      bulkSweeper(ports),
      telemetrySweeper({ ...ports, samples, everyMs: measureSeconds * 1000 }),
    ],
    readers: {
      services: new RecordReader(ports, Service),
      statusChanges: new RecordReader(ports, StatusChange),
      serviceChanges: new RecordReader(ports, ServiceChange),
      quotes: new RecordReader(ports, Quote),
      quoteLines: new RecordReader(ports, QuoteLine),
      maintenanceWindows: new RecordReader(ports, MaintenanceWindow),
      bulks: new RecordReader(ports, Bulk),
      bulkItems: new RecordReader(ports, BulkItem),
      provisioningRequests: new RecordReader(ports, ProvisioningRequest),
    },
  };
}
