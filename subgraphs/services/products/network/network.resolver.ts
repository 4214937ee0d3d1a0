import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { withoutPrefix } from '../../../../kernel/errors/field-names.ts';
import { Requires } from '../../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../../kernel/records/revision.ts';
import type { ServicesContext } from '../../context.ts';
import { ServiceType } from '../../inventory/service.states.ts';
import { productResolver } from '../product.resolver.ts';
import { NetworkOrderInput, NetworkUpdateInput, networkOrder, settingsOf } from './network.inputs.ts';
import { network } from './network.product.ts';
import { Network } from './network.types.ts';

@Resolver(() => Network)
export class NetworkResolver extends productResolver<Network>(network, { one: 'network', many: 'networks', noun: 'network' }) {
  @Mutation(() => Network, {
    description:
      'Order a network between sites. The new network is pending until it works. When it works, the event `service.provisioned` is sent. Each site is billed.',
  })
  @Requires('services:create', { secondFactor: true, scope: 'account' })
  async deployNetwork(
    @Arg('input', () => NetworkOrderInput, { description: 'Network to order.' }) input: NetworkOrderInput,
    @Ctx() { orders }: ServicesContext,
  ): Promise<Network> {
    return this.recordOf(await networkOrder.place(orders, input));
  }

  @Mutation(() => Network, {
    description:
      'Change a network: its sites, topology, bandwidth and other terms. A change that the provider must make is in `pendingChanges` until it is applied. When it is applied, the event `service.modified` is sent. Fails with INVALID_STATE if the network is not in service, and with SERVICE_MAINTENANCE during maintenance.',
  })
  @Requires('services:write', { secondFactor: true, scope: 'account' })
  async updateNetwork(
    @Arg('id', () => ID, { description: 'Id of the network (`svc_…`).' }) id: string,
    @Arg('input', () => NetworkUpdateInput, { description: 'New terms.' }) input: NetworkUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { updates }: ServicesContext,
  ): Promise<Network> {
    const { topology, locations, redundancy, ...terms } = input;
    const settings = settingsOf({ topology, redundancy, locations });
    const patch = { ...terms, ...(Object.keys(settings).length > 0 && { configuration: settings }) };
    const service = await updates.update(id, patch, { type: ServiceType.NETWORK, expectedRevision }).catch(withoutPrefix('configuration'));
    return this.recordOf(service);
  }
}
