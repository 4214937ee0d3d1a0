import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import { Carrier } from '../carriers/carrier.types.ts';
import type { ServicesContext } from '../context.ts';
import { CarrierCreateInput, CarrierUpdateInput, CoverageAreaCreateInput, CoverageAreaUpdateInput } from './coverage-management.inputs.ts';
import { CoverageAreaPage, ManagedCoverageArea } from './coverage-management.types.ts';

/** Operations of the platform's operator on coverage and carriers. */
@Resolver()
export class CoverageManagementResolver {
  @Query(() => CoverageAreaPage, {
    description:
      'List the coverage areas, sorted by ZIP prefix. Areas that are not on the map are included. For the operator of the platform.',
  })
  @Requires('platform:read', { scope: 'organization' })
  coverageAreas(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { coverageManagement }: ServicesContext,
  ): Promise<Page<ManagedCoverageArea>> {
    return coverageManagement.list(page ?? {});
  }

  @Mutation(() => ManagedCoverageArea, { description: 'Add a coverage area. For the operator of the platform.' })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  createCoverageArea(
    @Arg('input', () => CoverageAreaCreateInput, { description: 'Area to create.' }) input: CoverageAreaCreateInput,
    @Ctx() { coverageManagement }: ServicesContext,
  ): Promise<ManagedCoverageArea> {
    return coverageManagement.create(input);
  }

  @Mutation(() => ManagedCoverageArea, {
    description:
      'Change a coverage area. A list of technologies replaces the present list. Ordered services continue. Fails with SERVICE_CONFLICT if a carrier has a technology that the area would lose. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  updateCoverageArea(
    @Arg('zipPrefix', () => String, { description: 'ZIP prefix of the area.' }) zipPrefix: string,
    @Arg('input', () => CoverageAreaUpdateInput, { description: 'New values. Omit a field to keep its value.' })
    input: CoverageAreaUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { coverageManagement }: ServicesContext,
  ): Promise<ManagedCoverageArea> {
    return coverageManagement.update(zipPrefix, input, expectedRevision);
  }

  @Mutation(() => ManagedCoverageArea, {
    description:
      'Delete a coverage area. Ordered services continue. Fails with SERVICE_CONFLICT if a carrier serves the area. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  deleteCoverageArea(
    @Arg('zipPrefix', () => String, { description: 'ZIP prefix of the area.' }) zipPrefix: string,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { coverageManagement }: ServicesContext,
  ): Promise<ManagedCoverageArea> {
    return coverageManagement.delete(zipPrefix, expectedRevision);
  }

  @Mutation(() => Carrier, {
    description: 'Add a carrier. It can only serve coverage areas and their technologies. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  createCarrier(
    @Arg('input', () => CarrierCreateInput, { description: 'Carrier to create.' }) input: CarrierCreateInput,
    @Ctx() { carrierManagement }: ServicesContext,
  ): Promise<Carrier> {
    return carrierManagement.create(input);
  }

  @Mutation(() => Carrier, {
    description: 'Change a carrier. A list of areas replaces the present list. `initial` becomes false. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  updateCarrier(
    @Arg('id', () => ID, { description: 'Id of the carrier, such as `atlantic_fiber`.' }) id: string,
    @Arg('input', () => CarrierUpdateInput, { description: 'New values. Omit a field to keep its value.' }) input: CarrierUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { carrierManagement }: ServicesContext,
  ): Promise<Carrier> {
    return carrierManagement.update(id, input, expectedRevision);
  }

  @Mutation(() => Carrier, {
    description: 'Delete a carrier. Coverage stays, and ordered services continue. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  deleteCarrier(
    @Arg('id', () => ID, { description: 'Id of the carrier.' }) id: string,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { carrierManagement }: ServicesContext,
  ): Promise<Carrier> {
    return carrierManagement.delete(id, expectedRevision);
  }
}
