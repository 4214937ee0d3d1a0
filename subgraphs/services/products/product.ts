import type { z } from 'zod';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import type { CoverageService } from '../coverage/coverage.service.ts';
import type { ServiceLocation } from '../coverage/location.ts';
import { Service } from '../inventory/service.entity.ts';
import type { ServiceType } from '../inventory/service.states.ts';
import type { Configuration, ServiceTerms } from '../inventory/service-terms.ts';
import type { ServiceSpec } from '../providers/service.provider.ts';
import type { SampleState } from '../samples/sample.ts';
import type { ProductOrder } from './product-order.ts';
import type { ProductRecord } from './product-record.ts';

/**
 * A service as it is ordered, or as it will be after a change. The product checks it, and derives the order to the
 * provider from it.
 */
export interface WantedService<C extends Configuration = Configuration> extends Pick<ServiceTerms, 'bandwidthMbps' | 'sla' | 'features'> {
  configuration: C;
  serviceType: string;
  /** Account of the service. Null if it is not known yet, as in a quote. */
  accountId: string | null;
  /** Street address. Null if it is not known yet, or if the product needs no address. */
  location: ServiceLocation | null;
}

/** Access to the data that the checks of a product need. */
export interface ProductReads {
  /** Returns the existing services with these ids, in any order. */
  services(ids: readonly string[]): Promise<Service[]>;
  coverage: CoverageService;
}

/** Creates the function `services` of `ProductReads`, which reads through `em`. */
export const servicesIn =
  (em: EntityManager): ProductReads['services'] =>
  (ids) =>
    em.find(Service, { id: { $in: [...ids] } });

/** Numbers of billed units, from the minimum to the maximum. */
export type Quantities = Readonly<{ minimum: number; maximum: number }>;

/**
 * A kind of service that can be ordered. A product defines only the differences from other products. Ordering, changing, ending, pricing
 * and events are the same code for all products.
 */
export interface Product<C extends Configuration = Configuration> {
  readonly type: ServiceType;
  /** GraphQL type of the service with its typed settings. */
  readonly detail: new (
    service: Service,
  ) => ProductRecord;
  /** Order with typed settings in `orderService`. Absent if the product is ordered by the id of its catalog service. */
  readonly order?: ProductOrder;
  /** True if an order needs a street address. */
  readonly hasLocation: boolean;
  /** Schema of the settings that only this product has. Unknown settings are refused. */
  readonly configuration: z.ZodType<C>;
  /** Settings that an order needs, each with its description in the enum `ProvisioningRequirement`. Absent if all are optional. */
  readonly requiredSettings?: Readonly<Record<string, string>>;

  /**
   * Service types that its catalog services can have, and the name of the product in an error about another one. Absent if every text is
   * allowed, or none.
   */
  readonly serviceTypes?: Readonly<{ of: string; values: readonly string[] }>;

  /** Setting that contains the size of a service, such as `users`, and its limits. Absent for products that are sold by bandwidth. */
  readonly size?: Readonly<{ setting: string; minimum: number; maximum: number }>;

  /** Numbers of billed units that a service can have. Default: the limits of `size`, otherwise only 1. */
  readonly quantities?: Quantities;

  /** Returns the number of billed units. Default: 1. */
  quantityOf?(configuration: C): number;

  /**
   * Lists the problems that the schema cannot find, such as settings that do not fit together. `field` of a problem is the
   * path of a setting, such as `locations.1.role`.
   */
  problems?(configuration: C): FieldProblem[];

  /**
   * Checks requirements that need the database, such as coverage. It runs outside of the transaction of an order, and inside of the
   * transaction of a change.
   * @throws PlatformError
   */
  check?(wanted: WantedService<C>, reads: ProductReads): Promise<void>;

  /** Returns the order to the provider. If it is equal before and after a change, the provider has nothing to do. */
  spec(wanted: WantedService<C>): Pick<ServiceSpec, 'characteristics' | 'places'>;

  /** Returns the state of a service with several sites from the states of its sites. Required if its places have ids. */
  stateOfSites?(sites: ReadonlyMap<string, SampleState>, configuration: C): SampleState;

  /**
   * Stores the product's own records of a service. Runs in the transaction that stores an order, and in the transaction
   * that applies a change.
   */
  stored?(tx: EntityManager, service: Service): Promise<void>;

  /**
   * Releases the resources that the product has reserved for a service. Runs in the transaction that sets the status to
   * failed or decommissioned.
   */
  released?(tx: EntityManager, service: Service): Promise<void>;
}

/** Returns the numbers of billed units that a service of the product can have. */
export const quantitiesOf = ({ quantities, size }: Product): Quantities => quantities ?? size ?? { minimum: 1, maximum: 1 };

/** Declares a product. TypeScript infers the type of its settings from their schema. */
export const defineProduct = <C extends Configuration>(product: Product<C>): Product => product as unknown as Product;
