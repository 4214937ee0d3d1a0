import type { Ports } from '../../kernel/domain.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { defineConverge } from './changes/converge.job.ts';
import { ServiceChange } from './changes/service-change.entity.ts';
import { serviceChangeSweeper } from './changes/service-change.sweeper.ts';
import { Service } from './inventory/service.entity.ts';
import type { ConnectivityProvider } from './providers/connectivity.provider.ts';
import { SimulatedConnectivityProvider } from './providers/simulated.provider.ts';
import { ProvisioningRequest } from './provisioning-requests/provisioning-request.entity.ts';
import { StatusChange } from './status/status-change.entity.ts';

export interface ServicesPorts extends Ports {
  /** Provider that builds and measures internet lines. Default: SimulatedConnectivityProvider. */
  connectivity?: ConnectivityProvider;
}

/** Objects that exist once per process. All requests and jobs use them. */
export type ServicesCore = ReturnType<typeof createCore>;

export function createCore({ connectivity = new SimulatedConnectivityProvider(), ...given }: ServicesPorts) {
  const ports = { ...given, connectivity };
  defineConverge(ports);
  return {
    ports,
    changeSweeper: serviceChangeSweeper(ports),
    readers: {
      services: new RecordReader(ports, Service),
      statusChanges: new RecordReader(ports, StatusChange),
      serviceChanges: new RecordReader(ports, ServiceChange),
      provisioningRequests: new RecordReader(ports, ProvisioningRequest),
    },
  };
}
