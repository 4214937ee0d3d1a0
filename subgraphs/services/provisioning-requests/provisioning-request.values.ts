import { Allow, IsOptional } from 'class-validator';
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { ServicesContext } from '../context.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';
import { scheduleProblems } from './provisioning-request-schedule.ts';
import { StepName, StepStatus } from './provisioning-request-steps.ts';

/** Data that a request needs before its service can be ordered. */
export enum ProvisioningRequirement {
  ACCOUNT_ID = 'accountId',
  LOCATION = 'location',
}
registerEnumType(ProvisioningRequirement, {
  name: 'ProvisioningRequirement',
  description: 'Information that must be supplied before a service can be ordered.',
  valuesConfig: {
    ACCOUNT_ID: { description: 'The account that the service is for.' },
    LOCATION: { description: 'The street address where the service is built.' },
  },
});
registerEnumType(StepName, {
  name: 'ProvisioningStepName',
  description: 'Steps of the work on a provisioning request, in order.',
  valuesConfig: {
    INFORMATION: { description: 'Collect account and location.' },
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

@ObjectType('ProvisioningCustomizations', { description: 'Options of a requested service.' })
@InputType('ProvisioningCustomizationsInput', { description: 'Options of a requested service.' })
export class ProvisioningCustomizations {
  @Field(() => String, { description: 'Bandwidth that the catalog entry offers, such as 500mbps or 1gbps.' })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'True for a second line into the building, separate from the first.' })
  redundancy!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True if the provider monitors the line and repairs it without a request from you.',
  })
  monitoring!: boolean;
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

  /** When the status changed, as ISO 8601 text, because the history is stored as JSON. */
  @Field(() => Date, { description: 'When the status changed.' })
  at!: string;

  @Field(() => String, { nullable: true, description: 'Reason for the change. Null if none was given.' })
  reason!: string | null;
}
