import type { ServiceLocation } from '../coverage/location.ts';

/** Order for an internet line at a provider. */
export interface ConnectivityOrder {
  /**
   * The platform's id of the service. It is also the idempotency key: a second order with the same id continues the
   * first order.
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
  /** Number of the attempt to provision the line: 1 for the first attempt, 2 after the first failure, and so on. */
  attempt: number;
}

/** State of an order. If the order is in progress, its state must be requested again after `checkAfterSeconds`. */
export type Provisioning = { state: 'completed'; reference: string } | { state: 'in_progress'; checkAfterSeconds: number };

/**
 * State of the release of a line. If the release is in progress, its state must be requested again after
 * `checkAfterSeconds`.
 */
export type Release = { state: 'released' } | { state: 'in_progress'; checkAfterSeconds: number };

/** Identifies a line that must be released, or an order that must be cancelled. */
export interface ReleaseOrder {
  /** Idempotency key of the release: a second release with the same id continues the first release. */
  releaseId: string;
  /** The platform's id of the service, which was the idempotency key of the order. */
  serviceId: string;
  /** Id of the line at the provider. Null if it is unknown. */
  reference: string | null;
  name: string;
}

/** A provisioned line. */
export interface ConnectivityLine {
  serviceId: string;
  /** Id of the line at the provider. Null if it is unknown. */
  reference: string | null;
  technology: string;
}

/** Measurements of a line that the provider's network reports. */
export interface Telemetry {
  latencyMs: number;
  /** Used bandwidth, in percent of the line's bandwidth. */
  bandwidthUtilization: number;
  /** Lost packets, in percent of all packets. */
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
   * Starts an order, or continues it if the provider already has it.
   * @throws ProvisioningRejected if the order can never succeed. After any other error, a retry may succeed
   */
  provision(order: ConnectivityOrder): Promise<Provisioning>;

  /**
   * Cancels the order of a line, or takes the line down. If the provider does not have the line, the result is
   * `released`.
   * @throws ProvisioningRejected if the provider refuses the release. After any other error, a retry may succeed
   */
  release(order: ReleaseOrder): Promise<Release>;

  /** Returns the current measurements of a line; null if the provider has no measurements. */
  telemetry(line: ConnectivityLine, now: Date): Promise<Telemetry | null>;

  /** Closes the connections to the provider. */
  close?(): Promise<void>;
}

/** The provider rejects the order, and a retry cannot succeed. The message is shown to the customer. */
export class ProvisioningRejected extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProvisioningRejected';
  }
}
