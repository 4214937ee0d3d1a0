import { IsOptional, Matches } from 'class-validator';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { ServiceChangeStatus } from './service-change.states.ts';

@ObjectType('DataMigration', { description: 'Migration of the data of a service to another service before the service is taken down.' })
@InputType('DataMigrationInput', {
  description: 'Migration of the data of a service to another service before the service is taken down. Internet services hold no data.',
})
@Rule<DataMigration, unknown>(({ required, destination }) =>
  required && !destination ? [{ field: 'destination', value: destination, reason: 'is required if the migration is required' }] : [],
)
export class DataMigration {
  @Field(() => Boolean, { defaultValue: false, description: 'True if the service may be taken down only after its data was migrated.' })
  required!: boolean;

  @Field(() => ID, {
    nullable: true,
    description: 'Service that receives the data (`svc_…`): operational, and of the same type. Null if no service receives it.',
  })
  @IsOptional()
  @Matches(/^svc_\w+$/, { message: 'must be a service id (svc_…)' })
  destination?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True if the copy must be compared with the original before the service is taken down.',
  })
  verification!: boolean;
}

@ObjectType({ description: 'A change of the status of a service change.' })
export class ServiceChangeTransition {
  @Field(() => ServiceChangeStatus, { nullable: true, description: 'Status before the change. Null for the first status.' })
  from!: ServiceChangeStatus | null;

  @Field(() => ServiceChangeStatus, { description: 'Status after the change.' })
  to!: ServiceChangeStatus;

  /** Time of the change, stored in JSON as ISO 8601 text. */
  @Field(() => Date, { description: 'When the status changed.' })
  at!: string;

  @Field(() => String, { nullable: true, description: 'Reason for the change. Null if none was given.' })
  reason!: string | null;
}
