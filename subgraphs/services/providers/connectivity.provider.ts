import type { ServiceLocation } from '../coverage/location.ts';

/** Order for an internet line at a provider. */
export interface ConnectivityOrder {
  /**
   * The platform's id of the service. It is also the idempotency key: an order with the same id continues the first
   * order.
   */
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
  /** Number of the attempt: 1 for the first one, and 1 more after each failure. */
  attempt: number;
}

/** State of an order. If the order is in progress, its state must be requested again after `checkAfterSeconds`. */
export type Provisioning = { state: 'completed'; reference: string } | { state: 'in_progress'; checkAfterSeconds: number };

/** State of a release. If it is in progress, its state must be requested again after `checkAfterSeconds`. */
export type Release = { state: 'released' } | { state: 'in_progress'; checkAfterSeconds: number };

/** A line to release, or an order to cancel. */
export interface ReleaseOrder {
  /** Idempotency key of the release: a release with the same id continues the first one. */
  releaseId: string;
  /** The id of the service, with which the line was ordered. */
  serviceId: string;
  /** Id of the line at the provider. Null if it is unknown. */
  reference: string | null;
  name: string;
}

/** A provisioned line. */
export interface ConnectivityLine {
  serviceId: string;
  /** Id of the line at the provider. */
  reference: string | null;
  technology: string;
}

/** Measurements of a line that the provider's network reports. */
export interface Telemetry {
  latencyMs: number;
  /** Utilization of the bandwidth in percent. */
  bandwidthUtilization: number;
  /** Lost packets in percent. */
  packetLoss: number;
  jitterMs: number;
  /** Number of open security incidents on the line. */
  securityIncidents: number;
  measuredAt: Date;
}

/** A provider that builds and measures internet lines. docs/providers.md describes the existing providers. */
export interface ConnectivityProvider {
  /** Name of the provider, which the API returns as `Service.provider`. */
  readonly name: string;
  /** Whether the provider is a simulation without a real network. */
  readonly simulated: boolean;

  /**
   * Starts or continues an order.
   * @throws ProvisioningRejected if the order can never succeed. After any other error, a retry may succeed
   */
  provision(order: ConnectivityOrder): Promise<Provisioning>;

  /**
   * Cancels the order of a line, or takes the line down. A line that the provider does not have is released.
   * @throws ProvisioningRejected if the provider refuses. After any other error, a retry may succeed
   */
  release(order: ReleaseOrder): Promise<Release>;

  /** Returns the current measurements of a line; null if there are none. */
  telemetry(line: ConnectivityLine, now: Date): Promise<Telemetry | null>;

  /** Closes connections. */
  close?(): Promise<void>;
}

/** The provider rejects the order, and a retry cannot succeed. The message is shown to the customer. */
export class ProvisioningRejected extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProvisioningRejected';
  }
}
