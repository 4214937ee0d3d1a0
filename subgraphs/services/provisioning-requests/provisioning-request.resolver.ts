import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { Account } from '../references.ts';
import { ProvisioningRequest } from './provisioning-request.entity.ts';
import {
  ProvisioningRequestFilter,
  ProvisioningRequestInput,
  ProvisioningRequestSort,
  ProvisioningRequestUpdateInput,
} from './provisioning-request.inputs.ts';

const ProvisioningRequestPage = pageOf('ProvisioningRequest', ProvisioningRequest);

@Resolver(() => ProvisioningRequest)
export class ProvisioningRequestResolver {
  @Query(() => ProvisioningRequest, { nullable: true })
  @Requires('services:read')
  provisioningRequest(@Arg('id', () => ID) id: string, @Ctx() { loaders }: ServicesContext): Promise<ProvisioningRequest | null> {
    return loaders.provisioningRequests.load(id);
  }

  @Query(() => ProvisioningRequestPage)
  @Requires('services:read')
  provisioningRequests(
    @Arg('filter', () => ProvisioningRequestFilter, { nullable: true }) filter: ProvisioningRequestFilter | undefined,
    @Arg('sort', () => [ProvisioningRequestSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<Page<ProvisioningRequest>> {
    return provisioningRequests.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Mutation(() => ProvisioningRequest, {
    description:
      'Asks for a service. It is ordered at once where account and location are known and no later date is preferred, else pending.',
  })
  @Requires('services:create', { secondFactor: true })
  requestProvisioning(
    @Arg('input', () => ProvisioningRequestInput) input: ProvisioningRequestInput,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.create(input);
  }

  @Mutation(() => ProvisioningRequest, { description: 'Supplies what a pending request waits for, or changes it.' })
  @Requires('services:write', { secondFactor: true })
  updateProvisioningRequest(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ProvisioningRequestUpdateInput) input: ProvisioningRequestUpdateInput,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.update(id, input);
  }

  @Mutation(() => ProvisioningRequest, { description: 'Ends a pending request.' })
  @Requires('services:write', { secondFactor: true })
  cancelProvisioningRequest(
    @Arg('id', () => ID) id: string,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.cancel(id);
  }

  @FieldResolver(() => Account, { nullable: true })
  account(@Root() { accountId }: ProvisioningRequest): Account | null {
    return accountId ? { id: accountId } : null;
  }

  @FieldResolver(() => Service, { nullable: true, description: 'The service that was ordered for it.' })
  @Requires('services:read')
  async service(@Root() { serviceId }: ProvisioningRequest, @Ctx() { loaders }: ServicesContext): Promise<Service | null> {
    return serviceId ? loaders.services.load(serviceId) : null;
  }
}
