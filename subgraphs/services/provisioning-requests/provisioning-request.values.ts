import { Allow, IsOptional } from 'class-validator';
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { ServicesContext } from '../context.ts';
import { BANDWIDTH_FORM } from '../coverage/bandwidth.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';
import { scheduleProblems } from './provisioning-request-schedule.ts';
import { StepName, StepStatus } from './provisioning-request-steps.ts';

/** What a request may lack that its service cannot be ordered without. */
export enum ProvisioningRequirement {
  ACCOUNT_ID = 'accountId',
  LOCATION = 'location',
}
registerEnumType(ProvisioningRequirement, { name: 'ProvisioningRequirement' });
registerEnumType(StepName, {
  name: 'ProvisioningStepName',
  description: 'What is done about a provisioning request, in this order.',
  valuesConfig: {
    INFORMATION: { description: 'Account and location are known.' },
    SCHEDULE: { description: 'The preferred date has come.' },
    ORDER: { description: 'The service is ordered: account, coverage and catalog still allow it.' },
    BUILD: { description: 'The provider builds it.' },
  },
});
registerEnumType(StepStatus, { name: 'ProvisioningStepStatus' });

@ObjectType('ProvisioningCustomizations')
@InputType('ProvisioningCustomizationsInput')
export class ProvisioningCustomizations {
  @Field(() => String, { description: `One of the catalog: ${BANDWIDTH_FORM}.` })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'A second way into the building, beside the first.' })
  redundancy!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'The provider watches the line and repairs it unasked.' })
  monitoring!: boolean;
}

/** Durations of at most a year. */
const FLEXIBILITY_PATTERN =
  '^([0-9]{1,7}[ _]seconds?|[0-9]{1,5}[ _]minutes?|[0-9]{1,3}[ _]hours?|([0-9]{1,2}|[12][0-9]{2}|3[0-5][0-9]|36[0-5])[ _]days?|([0-9]|[1-4][0-9]|5[0-2])[ _]weeks?|([0-9]|1[0-2])[ _]months?|[01][ _]years?)$';

@ObjectType('DeploymentSchedule')
@InputType('DeploymentScheduleInput')
@Rule<DeploymentSchedule, ServicesContext>((schedule, { clock }) => scheduleProblems(schedule, clock.now()))
export class DeploymentSchedule {
  @Field(() => Date, { description: 'The work begins then: today or within a year.' })
  preferredDate!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'How much later it may be done, such as `7_days`; at most a year. Default: as soon as it can be built.',
  })
  @IsOptional()
  @MaxCharacters(40)
  @Allow(jsonSchema({ pattern: FLEXIBILITY_PATTERN }))
  flexibility?: string | null;
}

const EMAIL_REASON = 'must be an e-mail address';

@ObjectType('ProvisioningContacts')
@InputType('ProvisioningContactsInput')
export class ProvisioningContacts {
  @Field(() => String, { nullable: true, description: 'An e-mail address.' })
  @IsOptional()
  @EmailAddress(EMAIL_REASON)
  technical?: string | null;

  @Field(() => String, { nullable: true, description: 'An e-mail address.' })
  @IsOptional()
  @EmailAddress(EMAIL_REASON)
  billing?: string | null;
}

@ObjectType({ description: 'What is done about a provisioning request, one after the other.' })
export class ProvisioningStep {
  @Field(() => StepName)
  name!: StepName;

  @Field(() => StepStatus)
  status!: StepStatus;
}

@ObjectType({ description: 'A change of the status of a provisioning request.' })
export class ProvisioningRequestChange {
  @Field(() => ProvisioningRequestStatus, { nullable: true, description: 'Null for its first status.' })
  from!: ProvisioningRequestStatus | null;

  @Field(() => ProvisioningRequestStatus)
  to!: ProvisioningRequestStatus;

  /** As JSON keeps it. */
  @Field(() => Date)
  at!: string;

  @Field(() => String, { nullable: true })
  reason!: string | null;
}
