import { Field, ID, InterfaceType } from 'type-graphql';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';

/** A service with the typed settings of its product. Its id is the id of the service. */
@InterfaceType('ProductService', { description: 'A service with the fields of its kind. Its id is the id of the service.' })
export abstract class ProductRecord {
  @Field(() => Service, { description: 'The service with the fields that all kinds have.' })
  readonly service: Service;

  constructor(service: Service) {
    this.service = service;
  }

  @Field(() => ID, { description: 'Id of the service (`svc_…`).' })
  get id(): string {
    return this.service.id;
  }

  @Field(() => ID, { description: 'Account that the service belongs to (`acc_…`).' })
  get accountId(): string {
    return this.service.accountId;
  }

  @Field(() => String, { description: 'Name shown in lists.' })
  get name(): string {
    return this.service.name;
  }

  @Field(() => ServiceStatus, { description: 'Current state in the life cycle of the service.' })
  get status(): ServiceStatus {
    return this.service.status;
  }

  @Field(() => String, { nullable: true, description: 'Reason for the current status. Null if there is no further information.' })
  get statusReason(): string | null {
    return this.service.statusReason;
  }

  @Field(() => String, { nullable: true, description: 'Bandwidth, such as `1000mbps`. Null for kinds of service without a bandwidth.' })
  get bandwidth(): string | null {
    return this.service.bandwidth;
  }

  @Field(() => String, { nullable: true, description: 'Service level from the catalog, such as `enterprise`. Null if none applies.' })
  get sla(): string | null {
    return this.service.sla;
  }

  @Field(() => [String], { description: 'Names of the features that are switched on.' })
  get features(): readonly string[] {
    return this.service.features;
  }

  @Field(() => BillingCycle, { description: 'How often the service is invoiced.' })
  get billingCycle(): BillingCycle {
    return this.service.billingCycle;
  }

  @Field(() => Decimal, { description: 'Price for one month, in `currency`.' })
  get monthlyPrice(): Decimal {
    return this.service.monthlyPrice;
  }

  @Field(() => String, { description: 'ISO 4217 code of `monthlyPrice`, such as USD.' })
  get currency(): string {
    return this.service.currency;
  }

  @Field(() => Date, { nullable: true, description: 'When the service first became operational. Null before that time.' })
  get provisionedAt(): Date | null {
    return this.service.provisionedAt;
  }

  @Field(() => Date, { description: 'When the service was ordered.' })
  get createdAt(): Date {
    return this.service.createdAt;
  }

  @Field(() => Date, { description: 'When the service was last changed.' })
  get updatedAt(): Date {
    return this.service.updatedAt;
  }
}
