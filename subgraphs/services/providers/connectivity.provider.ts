import type { ServiceLocation } from '../coverage/location.ts';

/** A line to be built. */
export interface ConnectivityOrder {
  /** Ours, and the key of the order: asking for the same service again continues that order and never starts another. */
  serviceId: string;
  name: string;
  technology: string;
  bandwidthMbps: number;
  location: ServiceLocation;
  sla: string | null;
  /** A second way into the building. */
  redundancy?: boolean;
  /** The line is watched, and repaired unasked. */
  monitoring?: boolean;
  /** 1 for the first try; one more after each failure. */
  attempt: number;
}

/** How an order stands: ask again for one that is in progress. */
export type Provisioning = { state: 'completed'; reference: string } | { state: 'in_progress'; checkAfterSeconds: number };

/** A line that was built. */
export interface ConnectivityLine {
  serviceId: string;
  /** What the provider calls it. */
  reference: string | null;
  technology: string;
}

/** What a network measures of a line. */
export interface Telemetry {
  latencyMs: number;
  /** Percent. */
  bandwidthUtilization: number;
  /** Percent. */
  packetLoss: number;
  jitterMs: number;
  /** Open security incidents on the line. */
  securityIncidents: number;
  measuredAt: Date;
}

/** Who builds and measures internet lines. docs/providers.md describes the ones there are. */
export interface ConnectivityProvider {
  /** What `Service.provider` shows. */
  readonly name: string;
  /** Nothing real stands behind it. */
  readonly simulated: boolean;

  /** Starts or continues an order. @throws ProvisioningRejected for good; any other error is worth another try */
  provision(order: ConnectivityOrder): Promise<Provisioning>;

  /** Null where it cannot be had now. */
  telemetry(line: ConnectivityLine, now: Date): Promise<Telemetry | null>;

  /** Lets go of connections. */
  close?(): Promise<void>;
}

/** The provider will never build this. The message is shown to the customer. */
export class ProvisioningRejected extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProvisioningRejected';
  }
}
