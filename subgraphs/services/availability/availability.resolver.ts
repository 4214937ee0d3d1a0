import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { CoverageLocationInput, PartialLocation } from '../coverage/location.ts';
import {
  AccessRequirementsInput,
  Availability,
  AvailabilityByZip,
  AvailabilityCheckInput,
  TechnologyAvailability,
} from './availability.types.ts';

@Resolver()
export class AvailabilityResolver {
  @Query(() => Availability, { description: 'Check which access technologies reach a street address, and with how much bandwidth.' })
  @Requires('services:read', { scope: 'open' })
  serviceAvailability(
    @Arg('input', () => AvailabilityCheckInput, { description: 'Address to check, and the required technologies and bandwidth.' })
    input: AvailabilityCheckInput,
    @Ctx() { availability }: ServicesContext,
  ): Promise<Availability> {
    return availability.check(input);
  }

  @Query(() => AvailabilityByZip, {
    description: 'Check which access technologies reach a location. Only the ZIP code of the location is needed.',
  })
  @Requires('services:read', { scope: 'open' })
  availabilityByZip(
    @Arg('location', () => PartialLocation, { description: 'Location to check.' }) location: PartialLocation,
    @Arg('requirements', () => AccessRequirementsInput, {
      nullable: true,
      description: 'Technologies and bandwidth that are required. Default: everything that reaches the location.',
    })
    requirements: AccessRequirementsInput | null,
    @Ctx() { availability }: ServicesContext,
  ): Promise<AvailabilityByZip> {
    return availability.check({ ...requirements, location });
  }

  @Query(() => TechnologyAvailability, { description: 'Check whether fiber reaches a location, and with how much bandwidth.' })
  @Requires('services:read', { scope: 'open' })
  fiberAvailability(
    @Arg('location', () => CoverageLocationInput, { description: 'Location to check.' }) location: CoverageLocationInput,
    @Ctx() { availability }: ServicesContext,
  ): Promise<TechnologyAvailability> {
    return availability.fiber(location);
  }
}
