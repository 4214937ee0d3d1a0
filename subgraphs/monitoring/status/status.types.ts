import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { Incident } from '../incidents/incident.entity.ts';
import { OverallStatus } from './status.states.ts';

@ObjectType({ description: 'Number of services with a status.' })
export class MonitoredServiceCount {
  @Field(() => String, { description: 'Status of the services, such as `operational`.' })
  status!: string;

  @Field(() => Int, { description: 'Number of services with this status.' })
  count!: number;
}

@ObjectType({ description: 'A service that is down, degraded or in maintenance.' })
export class ImpairedService {
  @Field(() => ID, { description: 'Id of the service (`svc_…`).' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service.' })
  name!: string;

  @Field(() => String, { description: 'Status of the service: `down`, `degraded` or `maintenance`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Reason for the status. Null if there is none.' })
  reason!: string | null;
}

@ObjectType({ description: 'Services that a caller can access, by status.' })
export class MonitoredServices {
  @Field(() => Int, { description: 'Number of services in all states.' })
  total!: number;

  @Field(() => [MonitoredServiceCount], { description: 'Services by status.' })
  byStatus!: MonitoredServiceCount[];

  @Field(() => [ImpairedService], { description: 'Services that are down, degraded or in maintenance, newest first, at most 50.' })
  affected!: ImpairedService[];
}

@ObjectType({ description: 'The maintenance that starts next.' })
export class NextMaintenance {
  @Field(() => ID, { description: 'Id of the maintenance window (`maint_…`).' })
  maintenanceWindowId!: string;

  @Field(() => ID, { description: 'Service that is maintained (`svc_…`).' })
  serviceId!: string;

  @Field(() => Date, { description: 'When the maintenance is planned to start.' })
  start!: Date;

  @Field(() => Date, { description: 'When the maintenance is planned to end.' })
  end!: Date;

  @Field(() => String, { nullable: true, description: 'Title of the work. Null if there is none.' })
  title!: string | null;

  @Field(() => String, { description: 'Work that is done during the maintenance.' })
  description!: string;
}

@ObjectType({ description: 'Overall status of the services that a caller can access.' })
export class MonitoringStatus {
  @Field(() => OverallStatus, {
    description: 'Overall status of the services that the caller can access. The components of the platform do not count in it.',
  })
  status!: OverallStatus;

  @Field(() => Date, { description: 'Time of this status.' })
  checkedAt!: Date;

  @Field(() => MonitoredServices, { description: 'The services by their status.' })
  services!: MonitoredServices;

  @Field(() => Int, { description: 'Number of open incidents.' })
  openIncidentCount!: number;

  @Field(() => [Incident], { description: 'Newest open incidents, at most 20.' })
  openIncidents!: Incident[];

  @Field(() => NextMaintenance, { nullable: true, description: 'Maintenance that starts next. Null if none is planned.' })
  nextMaintenance!: NextMaintenance | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Percentage of the time in which the services worked, over all services and the last 30 days. Maintenance and suspension are left out of the calculation. Null without a service.',
  })
  uptimePercentage!: number | null;

  @Field(() => Float, { description: 'Availability in percent that the plan of the organization promises.' })
  availabilityTarget!: number;
}
