import { Field, ID, ObjectType } from 'type-graphql';
import { ServiceStatus } from '../inventory/service.states.ts';
import { Bulk } from './bulk.entity.ts';
import { BulkItemStatus } from './bulk.states.ts';
import { BulkItemError } from './bulk.values.ts';

@ObjectType({ description: 'Status of one of many services.' })
export class BulkServiceStatus {
  @Field(() => ID, { nullable: true, description: 'The service (`svc_…`). Null if the item of the bulk could not be ordered.' })
  serviceId!: string | null;

  @Field(() => ServiceStatus, { nullable: true, description: 'Current status of the service. Null if the service does not exist.' })
  status!: ServiceStatus | null;

  @Field(() => String, { nullable: true, description: 'Reason for the status of the service. Null if there is none.' })
  statusReason!: string | null;

  @Field(() => BulkItemStatus, { nullable: true, description: 'State of the item of the bulk. Null if no bulk was requested.' })
  itemStatus!: BulkItemStatus | null;

  @Field(() => ID, { nullable: true, description: 'Change of the service that the bulk ordered (`order_…`). Null if there is none.' })
  changeId!: string | null;

  @Field(() => BulkItemError, { nullable: true, description: 'Why the service does not exist, or why the item of the bulk failed.' })
  error!: BulkItemError | null;

  @Field(() => Date, { nullable: true, description: 'When the service last changed. Null if it does not exist.' })
  updatedAt!: Date | null;
}

@ObjectType({ description: 'Status of many services.' })
export class BulkStatusReport {
  @Field(() => Bulk, { nullable: true, description: 'The requested bulk. Null if a list of services was requested.' })
  bulk!: Bulk | null;

  @Field(() => [BulkServiceStatus], { description: 'Status of each service, in the order of the request.' })
  services!: BulkServiceStatus[];
}
