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
  @Query(() => ProvisioningRequest, { nullable: true, description: 'Get a provisioning request by id. Null if it does not exist.' })
  @Requires('services:read')
  provisioningRequest(@Arg('id', () => ID) id: string, @Ctx() { loaders }: ServicesContext): Promise<ProvisioningRequest | null> {
    return loaders.provisioningRequests.load(id);
  }

  @Query(() => ProvisioningRequestPage, { description: 'List provisioning requests, newest first.' })
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
      'Request a service. It is ordered immediately if account and location are known and no later date is preferred. Otherwise it stays pending.',
  })
  @Requires('services:create', { secondFactor: true })
  requestProvisioning(
    @Arg('input', () => ProvisioningRequestInput, { description: 'Service to request.' }) input: ProvisioningRequestInput,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.create(input);
  }

  @Mutation(() => ProvisioningRequest, {
    description:
      'Supply the missing information of a pending request, or change the request. Fails with INVALID_STATE if the request is not pending.',
  })
  @Requires('services:write', { secondFactor: true })
  updateProvisioningRequest(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ProvisioningRequestUpdateInput) input: ProvisioningRequestUpdateInput,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.update(id, input);
  }

  @Mutation(() => ProvisioningRequest, { description: 'Cancel a pending request. Fails with INVALID_STATE if the request is not pending.' })
  @Requires('services:write', { secondFactor: true })
  cancelProvisioningRequest(
    @Arg('id', () => ID) id: string,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.cancel(id);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account that the service is for. Null until it is supplied.' })
  account(@Root() { accountId }: ProvisioningRequest): Account | null {
    return accountId ? { id: accountId } : null;
  }

  @FieldResolver(() => Service, { nullable: true, description: 'Service that was ordered for the request. Null until it is ordered.' })
  @Requires('services:read')
  async service(@Root() { serviceId }: ProvisioningRequest, @Ctx() { loaders }: ServicesContext): Promise<Service | null> {
    return serviceId ? loaders.services.load(serviceId) : null;
  }
}
