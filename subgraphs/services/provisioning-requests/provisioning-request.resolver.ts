import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import { Account } from '../references.ts';
import { ProvisioningRequest } from './provisioning-request.entity.ts';
import {
  ProvisioningRequestFilter,
  ProvisioningRequestInput,
  ProvisioningRequestSort,
  ProvisioningRequestUpdateInput,
} from './provisioning-request.inputs.ts';
import { ProvisioningCustomizations } from './provisioning-request.values.ts';
import { internetOptions, shownOptions } from './provisioning-request-terms.ts';

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
      'Request a service. It is ordered immediately if nothing is missing and no later date is preferred. Otherwise it stays pending.',
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
      'Supply the missing information of a pending request, or change the request. Fails with INVALID_STATE if the request is not pending, or its quote is no longer valid.',
  })
  @Requires('services:write', { secondFactor: true })
  updateProvisioningRequest(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ProvisioningRequestUpdateInput) input: ProvisioningRequestUpdateInput,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.update(id, input);
  }

  @Mutation(() => ProvisioningRequest, {
    description:
      'Cancel a provisioning request. A pending request is cancelled immediately. Otherwise its service is taken down, and the request is cancelled when the provider has released the service. Fails with INVALID_STATE if the request has ended or is already being cancelled.',
  })
  @Requires('services:write', { secondFactor: true })
  cancelProvisioningRequest(
    @Arg('id', () => ID) id: string,
    @Ctx() { provisioningRequests }: ServicesContext,
  ): Promise<ProvisioningRequest> {
    return provisioningRequests.cancel(id);
  }

  @FieldResolver(() => JsonObject, {
    description: 'Requested options of the service: its `bandwidth`, and settings that are specific to the kind of service.',
  })
  options(@Root() { terms }: ProvisioningRequest): Configuration {
    return shownOptions(terms);
  }

  @FieldResolver(() => ProvisioningCustomizations, {
    deprecationReason: 'Use `options`.',
    description: 'Requested options of an internet line. Other kinds of service have other options.',
  })
  customizations(@Root() { terms }: ProvisioningRequest): ProvisioningCustomizations {
    return internetOptions(terms.options);
  }

  @FieldResolver(() => [String], { description: 'Requested features from the catalog, such as `static_ip`.' })
  features(@Root() { terms }: ProvisioningRequest): readonly string[] {
    return terms.features;
  }

  @FieldResolver(() => ID, {
    nullable: true,
    description:
      'Quote whose price the service gets (`quote_…`). It must still be valid when the service is ordered. Null without a quote.',
  })
  quoteId(@Root() { terms }: ProvisioningRequest): string | null {
    return terms.quoteId;
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'Position of the requested line of the quote. Null means the first line of the requested service that is not ordered yet.',
  })
  quoteLine(@Root() { terms }: ProvisioningRequest): number | null {
    return terms.quoteLine;
  }

  @FieldResolver(() => Account, {
    nullable: true,
    description: 'Account that the service is for. Null only for a pending request of an earlier release.',
  })
  account(@Root() { accountId }: ProvisioningRequest): Account | null {
    return accountId ? { id: accountId } : null;
  }

  @FieldResolver(() => Service, { nullable: true, description: 'Service that was ordered for the request. Null until it is ordered.' })
  @Requires('services:read')
  async service(@Root() { serviceId }: ProvisioningRequest, @Ctx() { loaders }: ServicesContext): Promise<Service | null> {
    return serviceId ? loaders.services.load(serviceId) : null;
  }
}
