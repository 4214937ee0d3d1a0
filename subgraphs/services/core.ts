import type { Ports } from '../../kernel/domain.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Service } from './inventory/service.entity.ts';
import type { ConnectivityProvider } from './providers/connectivity.provider.ts';
import { SimulatedConnectivityProvider } from './providers/simulated.provider.ts';
import { defineProvisioning } from './provisioning/provisioning.job.ts';
import { ProvisioningRequest } from './provisioning-requests/provisioning-request.entity.ts';
import { StatusChange } from './status/status-change.entity.ts';

export interface ServicesPorts extends Ports {
  /** Provider that builds and measures internet lines. Default: the simulator. */
  connectivity?: ConnectivityProvider;
}

/** Objects that exist once per process. All requests and jobs use them. */
export type ServicesCore = ReturnType<typeof createCore>;

export function createCore({ connectivity = new SimulatedConnectivityProvider(), ...given }: ServicesPorts) {
  const ports = { ...given, connectivity };
  defineProvisioning(ports);
  return {
    ports,
    readers: {
      services: new RecordReader(ports, Service),
      statusChanges: new RecordReader(ports, StatusChange),
      provisioningRequests: new RecordReader(ports, ProvisioningRequest),
    },
  };
}
