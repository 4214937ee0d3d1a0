import type { ServiceLocation } from '../coverage/location.ts';

/** Order for a line. */
export interface ConnectivityOrder {
  /** The platform's id of the service, which is also the idempotency key: a repeated order continues the first one. */
  serviceId: string;
  name: string;
  technology: string;
  bandwidthMbps: number;
  location: ServiceLocation;
  sla: string | null;
  /** Whether a second, independent access line is built. */
  redundancy?: boolean;
  /** Whether the provider monitors the line and repairs it proactively. */
  monitoring?: boolean;
  /** 1 for the first attempt; increases after each failure. */
  attempt: number;
}

/** State of an order. If it is in progress, ask again after `checkAfterSeconds`. */
export type Provisioning = { state: 'completed'; reference: string } | { state: 'in_progress'; checkAfterSeconds: number };

/** A provisioned line. */
export interface ConnectivityLine {
  serviceId: string;
  /** The provider's id of the line. */
  reference: string | null;
  technology: string;
}

/** Measurements of a line by the network. */
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

/** A provider that builds and measures internet lines. docs/providers.md describes the available ones. */
export interface ConnectivityProvider {
  /** Shown in `Service.provider`. */
  readonly name: string;
  /** Whether the provider is a simulation without a real network. */
  readonly simulated: boolean;

  /**
   * Starts or continues an order.
   * @throws ProvisioningRejected if the order can never succeed; after any other error, a retry is worthwhile
   */
  provision(order: ConnectivityOrder): Promise<Provisioning>;

  /** Returns current measurements; null if there are none. */
  telemetry(line: ConnectivityLine, now: Date): Promise<Telemetry | null>;

  /** Closes connections. */
  close?(): Promise<void>;
}

/** The provider rejects the order for good. The message is shown to the customer. */
export class ProvisioningRejected extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProvisioningRejected';
  }
}
