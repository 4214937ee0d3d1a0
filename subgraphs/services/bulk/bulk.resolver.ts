import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ServiceChange } from '../changes/service-change.entity.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { Bulk } from './bulk.entity.ts';
import { BulkFilter, BulkProvisionInput, BulkSort, BulkStatusInput } from './bulk.inputs.ts';
import { BulkItemStatus } from './bulk.states.ts';
import { BulkStatusReport } from './bulk.types.ts';
import { BulkItem } from './bulk-item.entity.ts';
import { BulkChangeInput } from './bulk-modification.inputs.ts';

const BulkPage = pageOf('Bulk', Bulk);

@Resolver(() => Bulk)
export class BulkResolver {
  @Query(() => Bulk, { nullable: true, description: 'Get a bulk by id. Null if it does not exist.' })
  @Requires('services:read')
  bulk(@Arg('id', () => ID) id: string, @Ctx() { bulks }: ServicesContext): Promise<Bulk | null> {
    return bulks.find(id);
  }

  @Query(() => BulkPage, { description: 'List bulks, newest first.' })
  @Requires('services:read')
  bulks(
    @Arg('filter', () => BulkFilter, { nullable: true }) filter: BulkFilter | undefined,
    @Arg('sort', () => [BulkSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { bulks }: ServicesContext,
  ): Promise<Page<Bulk>> {
    return bulks.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Query(() => BulkStatusReport, {
    description:
      'Get the status of up to 100 services, or of the services of a bulk. The entry of a service that does not exist contains an error.',
  })
  @Requires('services:read', { scope: 'account' })
  bulkServiceStatus(
    @Arg('input', () => BulkStatusInput, { description: 'Services, or a bulk.' }) input: BulkStatusInput,
    @Ctx() { bulks }: ServicesContext,
  ): Promise<BulkStatusReport> {
    return bulks.status(input);
  }

  @Mutation(() => Bulk, {
    description:
      'Order up to 100 services at once. With `rollbackOnFailure`, the services become operational together, or all of them are released. Follow the progress with `bulkProgressed`.',
  })
  @Requires('services:create', { secondFactor: true })
  provisionInBulk(
    @Arg('input', () => BulkProvisionInput, { description: 'Services to order.' }) input: BulkProvisionInput,
    @Ctx() { bulkProvisioning }: ServicesContext,
  ): Promise<Bulk> {
    return bulkProvisioning.provision(input);
  }

  @Mutation(() => Bulk, {
    description: 'Change up to 100 services at once. A service that cannot be changed is a failed item; the other services are changed.',
  })
  @Requires('services:write', { secondFactor: true })
  changeInBulk(
    @Arg('input', () => BulkChangeInput, { description: 'Services to change, and their new terms.' }) input: BulkChangeInput,
    @Ctx() { bulkModification }: ServicesContext,
  ): Promise<Bulk> {
    return bulkModification.modify(input);
  }

  @Mutation(() => Bulk, {
    description:
      'Cancel the items of a bulk that have not begun. A bulk with `rollbackOnFailure` is rolled back. Fails with INVALID_STATE if the bulk has ended.',
  })
  @Requires('services:write', { secondFactor: true })
  cancelBulk(@Arg('id', () => ID) id: string, @Ctx() { bulks }: ServicesContext): Promise<Bulk> {
    return bulks.cancel(id);
  }

  @FieldResolver(() => [BulkItem], { description: 'Items in the order of the request.' })
  async items(
    @Root() bulk: Bulk,
    @Arg('status', () => [BulkItemStatus], { nullable: true, description: 'Only items in these states.' }) status:
      | BulkItemStatus[]
      | undefined,
    @Arg('limit', () => Int, { nullable: true, description: 'Maximum number of items. Default: all.' }) limit: number | undefined,
    @Ctx() { bulks }: ServicesContext,
  ): Promise<BulkItem[]> {
    const items = await bulks.items(bulk);
    return items.filter((item) => !status || status.includes(item.status)).slice(0, limit ?? items.length);
  }

  @FieldResolver(() => [ID], {
    description: 'Services that are still being released although the rollback has failed (`svc_…`). Empty if there are none.',
  })
  async leftovers(@Root() bulk: Bulk, @Ctx() { bulks }: ServicesContext): Promise<string[]> {
    if (!bulk.hasLeftovers) return [];
    return (await bulks.items(bulk)).flatMap(({ status, serviceId }) =>
      status === BulkItemStatus.RELEASING && serviceId ? [serviceId] : [],
    );
  }
}

@Resolver(() => BulkItem)
export class BulkItemResolver {
  @FieldResolver(() => Service, { nullable: true, description: 'Service of the item. Null if it could not be ordered, or does not exist.' })
  @Requires('services:read')
  service(@Root() { serviceId }: BulkItem, @Ctx() { loaders }: ServicesContext): Promise<Service | null> | null {
    return serviceId ? loaders.services.load(serviceId) : null;
  }

  @FieldResolver(() => ServiceChange, { nullable: true, description: 'Change that the item ordered. Null if there is none.' })
  @Requires('services:read')
  change(@Root() { changeId }: BulkItem, @Ctx() { loaders }: ServicesContext): Promise<ServiceChange | null> | null {
    return changeId ? loaders.serviceChanges.load(changeId) : null;
  }
}
