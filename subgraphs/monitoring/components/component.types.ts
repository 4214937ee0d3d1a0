import { Field, Float, ObjectType } from 'type-graphql';
import { ComponentName, ComponentStatus } from './component.states.ts';

@ObjectType({ description: 'A component of the platform. All organizations use the same components.' })
export class PlatformComponent {
  @Field(() => ComponentName, { description: 'Name of the component.' })
  name!: ComponentName;

  @Field(() => ComponentStatus, { description: 'Status of the component. It changes after two successive checks with another result.' })
  status!: ComponentStatus;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when the component has this status. For `UNKNOWN`, the time of the last check. Null if it was never checked.',
  })
  since!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the component was checked last. Null if it was never checked.' })
  checkedAt!: Date | null;

  @Field(() => String, { description: 'Which time the checks measure, for people.' })
  measurement!: string;

  @Field(() => Float, {
    nullable: true,
    description: 'Time in seconds that the last check measured. Null if the check failed, or the status is `UNKNOWN`.',
  })
  seconds!: number | null;
}
