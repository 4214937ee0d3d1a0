import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { availabilityOf, fiberAvailabilityOf } from './availability.ts';
import {
  AccessRequirementsInput,
  Availability,
  AvailabilityByZip,
  AvailabilityCheckInput,
  TechnologyAvailability,
} from './availability.types.ts';
import { CoverageLocationInput, PartialLocation } from './location.ts';

@Resolver()
export class AvailabilityResolver {
  @Query(() => Availability)
  @Requires('services:read', { scope: 'open' })
  serviceAvailability(
    @Arg('input', () => AvailabilityCheckInput) input: AvailabilityCheckInput,
    @Ctx() { coverage }: ServicesContext,
  ): Promise<Availability> {
    return availabilityOf(input, coverage);
  }

  @Query(() => AvailabilityByZip, { description: 'What `serviceAvailability` says, where no more than the ZIP code must be known.' })
  @Requires('services:read', { scope: 'open' })
  availabilityByZip(
    @Arg('location', () => PartialLocation) location: PartialLocation,
    @Arg('requirements', () => AccessRequirementsInput, { nullable: true }) requirements: AccessRequirementsInput | null,
    @Ctx() { coverage }: ServicesContext,
  ): Promise<AvailabilityByZip> {
    return availabilityOf({ ...requirements, location }, coverage);
  }

  @Query(() => TechnologyAvailability, { description: 'What `serviceAvailability` says of fiber.' })
  @Requires('services:read', { scope: 'open' })
  fiberAvailability(
    @Arg('location', () => CoverageLocationInput) location: CoverageLocationInput,
    @Ctx() { coverage }: ServicesContext,
  ): Promise<TechnologyAvailability> {
    return fiberAvailabilityOf(location, coverage);
  }
}
