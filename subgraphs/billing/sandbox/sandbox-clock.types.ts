import { Field, ObjectType } from 'type-graphql';
import { SandboxClockStatus } from './sandbox-clock.states.ts';

@ObjectType({ description: 'Clock that billing uses for an organization in a sandbox.' })
export class SandboxClock {
  @Field(() => Date, { description: 'Current time of the clock. Until you first advance the clock, it is the time of the platform.' })
  now!: Date;

  @Field(() => Date, { description: 'Time to which the clock advances.' })
  target!: Date;

  @Field(() => SandboxClockStatus, { description: 'Whether the clock is moving.' })
  status!: SandboxClockStatus;
}
