/** Order to a provider: all data about a service that the provider needs. Plain JSON. */
export interface ServiceSpec {
  /** Kind of service, such as `internet`. */
  type: string;
  /** Subtype within the kind, such as `fiber`. */
  serviceType: string;
  /** Properties of the service by name, such as `bandwidth: '1000mbps'`. */
  characteristics: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  places: readonly Place[];
  /** True if the service must not work, because its account is suspended. The provider keeps the line. */
  isBlocked?: boolean;
}

/** A place where a service is delivered. Of some places, only the street address is known. */
export interface Place {
  /** Role of the place in the service, such as `installation`, `hub` or `spoke`. */
  role: string;
  /** Id of the place within the service. Null if the service has only one place. */
  id: string | null;
  address: string;
  city: string | null;
  state: string | null;
  zip: string | null;
}

/** An order for the provider, either to build a service, or to change, block or unblock a service that exists. */
export interface ApplyOrder {
  /**
   * Idempotency key: a second order with the same id continues the first order. It is the id of the service for its
   * first build, and the id of the service change for each change. Each order to block or unblock the service has its own id.
   */
  orderId: string;
  /** The platform's id of the service. */
  serviceId: string;
  /** Id of the service at the provider. Null if the provider has not built it yet. */
  reference: string | null;
  name: string;
  spec: ServiceSpec;
  /** Number of the attempt: 1 for the first attempt, 2 after the first failure, and so on. */
  attempt: number;
}

/** State of an order at the provider. While the order is in progress, the platform asks for its state again after `checkAfterSeconds`. */
export type Applied = { state: 'completed'; reference: string } | { state: 'in_progress'; checkAfterSeconds: number };

/** An order for the provider to release a service: to cancel its open orders, and to take it down if it was built. */
export interface ReleaseOrder {
  /** Idempotency key of the release: a second release with the same id continues the first release. */
  releaseId: string;
  /** The platform's id of the service, which was the idempotency key of the order to build it. */
  serviceId: string;
  /** Id of the service at the provider. Null if it is unknown. */
  reference: string | null;
  /** Idempotency keys of change orders that may be in progress or may have an unknown result. The oldest is first. */
  openOrderIds: readonly string[];
  name: string;
}

/**
 * State of the release of a service. If the release is in progress, its state must be requested again after
 * `checkAfterSeconds`.
 */
export type Released = { state: 'released' } | { state: 'in_progress'; checkAfterSeconds: number };

/** A service whose measurements are requested. */
export interface ObservedService {
  serviceId: string;
  /** Id of the service at the provider. Null if it is unknown. */
  reference: string | null;
  name: string;
  spec: ServiceSpec;
  /** The last observation of the service. Null if the service was not observed before. */
  previous: PreviousObservation | null;
}

export interface PreviousObservation {
  measuredAt: Date;
  counter: number | null;
}

/** Measurements of a service that the provider's network reports. */
export interface Observation {
  measuredAt: Date;
  /**
   * Measurements of the connections of the service: one connection for each place in `spec.places` that has an id. If no place
   * has an id, there is only one connection, and its `siteId` is null.
   */
  links: readonly ObservedLink[];
  /** Bytes that were transferred since the previous observation. Null if the number is unknown. */
  transferredBytes: number | null;
  /** Value of the provider's byte counter, for comparison with the next observation. Null if the provider has no counter. */
  counter: number | null;
}

/** Measurements of one connection. A value is null if it was not measured, for example because the connection is down. */
export interface ObservedLink {
  /** Id of the place that the connection serves (`Place.id`). Null if the service has no places with ids. */
  siteId: string | null;
  isUp: boolean;
  latencyMs: number | null;
  /** Used bandwidth, in percent of the bandwidth of the connection. */
  bandwidthUtilization: number | null;
  /** Lost packets, in percent of all packets. */
  packetLoss: number | null;
  jitterMs: number | null;
  /** Number of open security incidents. */
  securityIncidents: number;
}

/**
 * A provider that builds, changes, releases and measures services. docs/providers.md describes the existing providers.
 * All methods must be idempotent, because the platform repeats calls.
 */
export interface ServiceProvider {
  /** Name of the provider, which the API returns as `Service.provider`. */
  readonly name: string;
  /** True if the provider is a simulation without a real network. */
  readonly simulated: boolean;

  /**
   * Builds a service, or changes it to `spec`. Continues the order if the provider already has it.
   * @throws OrderRejected if the order can never succeed. After any other error, a retry may succeed
   */
  apply(order: ApplyOrder): Promise<Applied>;

  /**
   * Cancels the order of a service, or takes the service down. If the provider does not have the service, the result is
   * `released`.
   * @throws OrderRejected if the provider refuses the release. After any other error, a retry may succeed
   */
  release(order: ReleaseOrder): Promise<Released>;

  /** Returns the current measurements of a service; null if the provider has no measurements. Fails after a few seconds without a response. */
  observe(service: ObservedService, now: Date): Promise<Observation | null>;

  /** Closes the connections to the provider. */
  close?(): Promise<void>;
}

/** The provider rejects an order, and a retry cannot succeed. The message is shown to the customer. */
export class OrderRejected extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OrderRejected';
  }
}
