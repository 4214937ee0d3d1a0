import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { availabilityOf } from './availability.ts';
import { Availability, AvailabilityCheckInput } from './availability.types.ts';

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
}
