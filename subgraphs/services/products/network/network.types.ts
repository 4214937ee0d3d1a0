import { Field, Int, ObjectType } from 'type-graphql';
import { ProductRecord } from '../product-record.ts';
import type { NetworkConfiguration } from './network.product.ts';
import { NetworkLocation, NetworkTopology, NetworkType, type SiteRole } from './network.values.ts';

@ObjectType({ implements: ProductRecord, description: 'A private network between sites.' })
export class Network extends ProductRecord {
  @Field(() => NetworkType, { description: 'Technology of the network.' })
  get networkType(): NetworkType {
    return this.service.serviceType as NetworkType;
  }

  @Field(() => NetworkTopology, { description: 'How the sites are connected.' })
  get topology(): NetworkTopology {
    return this.#settings.topology;
  }

  @Field(() => Boolean, { description: 'True if each site has a second connection.' })
  get redundancy(): boolean {
    return this.#settings.redundancy ?? false;
  }

  @Field(() => [NetworkLocation], { description: 'Sites of the network, in the order of the request.' })
  get locations(): NetworkLocation[] {
    return this.#settings.locations.map(({ id, address, role, service_id: serviceId }) => ({
      id,
      address,
      role: (role ?? null) as SiteRole | null,
      serviceId: serviceId ?? null,
    }));
  }

  @Field(() => Int, { description: 'Number that increases with each change.' })
  get revision(): number {
    return this.service.revision;
  }

  get #settings(): NetworkConfiguration {
    return this.service.configuration as NetworkConfiguration;
  }
}
