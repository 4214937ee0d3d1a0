import { Field, ObjectType } from 'type-graphql';
import { ServiceLocation } from '../../coverage/location.ts';
import { AccessTechnology } from '../../coverage/technology.ts';
import { ProductRecord } from '../product-record.ts';
import { type Monitoring, monitoringLevel } from './monitoring.ts';

@ObjectType({ implements: ProductRecord, description: 'Internet access at a street address.' })
export class InternetLine extends ProductRecord {
  @Field(() => AccessTechnology, { description: 'Access technology of the line.' })
  get technology(): AccessTechnology {
    return this.service.serviceType as AccessTechnology;
  }

  @Field(() => ServiceLocation, { nullable: true, description: 'Street address where the line ends.' })
  get location(): ServiceLocation | null {
    return this.service.location;
  }

  @Field(() => Boolean, { description: 'True if there is a second line into the building, separate from the first.' })
  get redundancy(): boolean {
    return this.service.configuration.redundancy === true;
  }

  @Field(() => String, {
    nullable: true,
    description: 'How closely the provider monitors the line: `standard` or `advanced`. Null if the provider does not monitor it.',
  })
  get monitoring(): string | null {
    return monitoringLevel(this.service.configuration.monitoring as Monitoring | undefined);
  }
}
