import { Allow, IsIn, IsOptional } from 'class-validator';
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Json } from '../../../kernel/graphql/scalars.ts';
import type { ServicesContext } from '../context.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { MONITORING, type Monitoring } from '../products/internet/monitoring.ts';
import { BANDWIDTH, LOCATION } from '../products/order-needs.ts';
import { products } from '../products/registry.ts';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';
import { scheduleProblems } from './provisioning-request-schedule.ts';
import { StepName, StepStatus } from './provisioning-request-steps.ts';

/** Data that a request may need before its service can be ordered, with its description. */
const REQUIREMENTS: Readonly<Record<string, string>> = {
  ...Object.assign({}, ...products.map(({ requiredSettings }) => requiredSettings)),
  [LOCATION]: 'The street address where the service is built.',
  [BANDWIDTH]: 'The bandwidth from the catalog.',
};

/** GraphQL enum of the data that a request may need. The values are the names of the data. */
export const ProvisioningRequirement = Object.fromEntries(Object.keys(REQUIREMENTS).map((name) => [name.toUpperCase(), name]));
registerEnumType(ProvisioningRequirement, {
  name: 'ProvisioningRequirement',
  description:
    'Information that must be supplied before a service can be ordered. All of them except `LOCATION` are options of the service.',
  valuesConfig: Object.fromEntries(Object.entries(REQUIREMENTS).map(([name, description]) => [name.toUpperCase(), { description }])),
});
registerEnumType(StepName, {
  name: 'ProvisioningStepName',
  description: 'Steps of the work on a provisioning request, in order.',
  valuesConfig: {
    INFORMATION: { description: 'Collect the information that an order needs.' },
    SCHEDULE: { description: 'Wait for the preferred date.' },
    ORDER: { description: 'Order the service, after another check of account, coverage and catalog.' },
    BUILD: { description: 'The provider builds the service.' },
  },
});
registerEnumType(StepStatus, {
  name: 'ProvisioningStepStatus',
  description: 'Progress of a step.',
  valuesConfig: {
    PENDING: { description: 'Not started.' },
    RUNNING: { description: 'In progress.' },
    COMPLETED: { description: 'Done.' },
    FAILED: { description: 'Ended with an error. `statusReason` of the request contains the error.' },
    SKIPPED: { description: 'Not needed, or not reached because the request ended.' },
  },
});

@ObjectType('ProvisioningCustomizations', { description: 'Options of a requested internet line.' })
@InputType('ProvisioningCustomizationsInput', { description: 'Options of a requested internet line.' })
export class ProvisioningCustomizations {
  @Field(() => String, {
    description: 'Bandwidth that the catalog entry offers, such as 500mbps or 1gbps. In responses, it is empty if the request has none.',
  })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether a second line into the building is built, separate from the first line.',
  })
  redundancy!: boolean;

  @Field(() => Json, {
    defaultValue: false,
    description:
      'How closely the provider monitors the line, to repair it without a request from you: `advanced`, `standard`, or false for none. `true` means `standard`.',
  })
  @IsIn([...MONITORING], { message: `must be one of ${MONITORING.join(', ')}` })
  monitoring!: Monitoring;
}

/** Regular expression for a duration of at most one year, such as `7_days`. */
const FLEXIBILITY_PATTERN =
  '^([0-9]{1,7}[ _]seconds?|[0-9]{1,5}[ _]minutes?|[0-9]{1,3}[ _]hours?|([0-9]{1,2}|[12][0-9]{2}|3[0-5][0-9]|36[0-5])[ _]days?|([0-9]|[1-4][0-9]|5[0-2])[ _]weeks?|([0-9]|1[0-2])[ _]months?|[01][ _]years?)$';

@ObjectType('DeploymentSchedule', { description: 'When a requested service should be built.' })
@InputType('DeploymentScheduleInput', { description: 'When a requested service should be built.' })
@Rule<DeploymentSchedule, ServicesContext>((schedule, { clock }) => scheduleProblems(schedule, clock.now()))
export class DeploymentSchedule {
  @Field(() => Date, { description: 'Day on which the work should begin: today or within a year.' })
  preferredDate!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'How much later the work may begin, such as `7_days`; at most a year. Null means as soon as the service can be built.',
  })
  @IsOptional()
  @MaxCharacters(40)
  @Allow(jsonSchema({ pattern: FLEXIBILITY_PATTERN }))
  flexibility?: string | null;
}

const EMAIL_REASON = 'must be an e-mail address';

@ObjectType('ProvisioningContacts', { description: 'People to contact about a provisioning request.' })
@InputType('ProvisioningContactsInput', { description: 'People to contact about a provisioning request.' })
export class ProvisioningContacts {
  @Field(() => String, { nullable: true, description: 'E-mail address for questions about the installation.' })
  @IsOptional()
  @EmailAddress(EMAIL_REASON)
  technical?: string | null;

  @Field(() => String, { nullable: true, description: 'E-mail address for questions about invoices.' })
  @IsOptional()
  @EmailAddress(EMAIL_REASON)
  billing?: string | null;
}

@ObjectType({ description: 'One step of the work on a provisioning request.' })
export class ProvisioningStep {
  @Field(() => StepName, { description: 'Name of the step.' })
  name!: StepName;

  @Field(() => StepStatus, { description: 'Progress of the step.' })
  status!: StepStatus;
}

@ObjectType({ description: 'A change of the status of a provisioning request.' })
export class ProvisioningRequestChange {
  @Field(() => ProvisioningRequestStatus, { nullable: true, description: 'Status before the change. Null for the first status.' })
  from!: ProvisioningRequestStatus | null;

  @Field(() => ProvisioningRequestStatus, { description: 'Status after the change.' })
  to!: ProvisioningRequestStatus;

  /** Time at which the status changed, as ISO 8601 text, because the history is stored as JSON. */
  @Field(() => Date, { description: 'When the status changed.' })
  at!: string;

  @Field(() => String, { nullable: true, description: 'Reason for the change. Null if none was given.' })
  reason!: string | null;
}
