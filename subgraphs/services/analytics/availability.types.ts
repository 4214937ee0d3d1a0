import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { ServiceStatus } from '../inventory/service.states.ts';

@ObjectType({ description: 'Availability of a service in a period.' })
export class ServiceAvailability {
  @Field(() => ID, { description: 'Id of the service (`svc_…`).' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service.' })
  name!: string;

  @Field(() => ServiceStatus, { description: 'Current status of the service.' })
  status!: ServiceStatus;

  @Field(() => Float, { description: 'Percentage of the time in which the service worked. Maintenance is not counted.' })
  uptimePercentage!: number;

  @Field(() => Int, { description: 'Seconds in which the service was down.' })
  downtimeSeconds!: number;
}

@ObjectType({ description: 'Availability of services in a period.' })
export class AvailabilityAnalytics {
  @Field(() => Float, {
    nullable: true,
    description:
      'Percentage of the time of all services in which they worked. Maintenance is not counted. Null if no service was in operation.',
  })
  uptimePercentage!: number | null;

  @Field(() => Float, { nullable: true, description: 'The same for the period before. Null if no service was in operation.' })
  uptimePercentageBefore!: number | null;

  @Field(() => Int, { description: 'Sum of the seconds in which services were down.' })
  downtimeSeconds!: number;

  @Field(() => Int, { description: 'Number of services that were in operation.' })
  serviceCount!: number;

  @Field(() => [ServiceAvailability], { description: 'Services with the lowest availability first, at most 50.' })
  services!: ServiceAvailability[];
}
