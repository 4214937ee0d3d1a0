import { IsOptional, Min, ValidateNested } from 'class-validator';
import { Field, InputType, Int, registerEnumType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { MaxJson } from '../../../kernel/graphql/max-json.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule, type Valid } from '../../../kernel/graphql/rule.ts';
import { Json, JsonObject } from '../../../kernel/graphql/scalars.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import type { ServicesContext } from '../context.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { ServiceContacts } from '../inventory/service-contacts.ts';
import { MaintenanceWindowInput, windowProblems } from '../maintenance/maintenance-window.values.ts';
import { type FeatureSelection, IsFeatureSelection } from './feature-selection.ts';
import { dateProblems } from './service-change.inputs.ts';

const SETTINGS = 'Settings that are specific to the kind of service. Settings that you omit stay; null removes a setting. At most 16 KiB.';

@InputType({ description: 'New terms of a service. Omit a field to keep its value.' })
export class ServiceUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name shown in lists, 1 to 200 characters.' })
  @NotNull()
  @Characters(1, 200)
  name?: string;

  @Field(() => String, { nullable: true, description: 'Service level from the catalog, such as `enterprise`.' })
  @NotNull()
  @MaxCharacters(50)
  sla?: string;

  @Field(() => BillingCycle, { nullable: true, description: 'How often the service is invoiced.' })
  @NotNull()
  billingCycle?: BillingCycle;

  @Field(() => ServiceContacts, {
    nullable: true,
    description: 'People to contact about the service. Replaces all contacts; null means nobody.',
  })
  @IsOptional()
  @ValidateNested()
  contacts?: ServiceContacts | null;

  @Field(() => String, { nullable: true, description: 'Bandwidth from the catalog, such as 500mbps or 1gbps.' })
  @NotNull()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth?: string;

  @Field(() => JsonObject, { nullable: true, description: SETTINGS })
  @NotNull()
  @MaxJson()
  configuration?: Record<string, unknown>;
}

@InputType({ description: 'New settings of a service.' })
export class ServiceConfigurationInput {
  @Field(() => JsonObject, { description: SETTINGS })
  @MaxJson()
  configuration!: Record<string, unknown>;
}

@InputType({ description: 'Features that are switched on or off.' })
export class ServiceFeaturesInput {
  @Field(() => Json, {
    description:
      'Either an object such as `{"static_ip": true}`, which switches single features on or off, or a list with all features that are switched on. At most 50.',
  })
  @IsFeatureSelection()
  features!: FeatureSelection;
}

@InputType({ description: 'New terms and features of a service. Omit a field to keep its value.' })
export class ServiceChangeInput extends ServiceUpdateInput {
  @Field(() => Json, {
    nullable: true,
    description:
      'Either an object such as `{"static_ip": true}`, which switches single features on or off, or a list with all features that are switched on. At most 50.',
  })
  @NotNull()
  @IsFeatureSelection()
  features?: FeatureSelection;
}

export enum ScalingAction {
  SCALE_UP = 'scale_up',
  SCALE_DOWN = 'scale_down',
}
registerEnumType(ScalingAction, {
  name: 'ScalingAction',
  description: 'Direction in which the size of a service changes.',
  valuesConfig: { SCALE_UP: { description: 'The service becomes larger.' }, SCALE_DOWN: { description: 'The service becomes smaller.' } },
});

@InputType({ description: 'New size of a service, and when it takes effect.' })
@Rule<ScalingInput, ServicesContext>(({ effectiveDate }, { clock }) => dateProblems('effectiveDate', effectiveDate, clock.now()))
@Rule<ScalingInput>(sizeProblems)
@Rule<ScalingInput, ServicesContext>(({ effectiveDate, maintenanceWindow }, { clock }) =>
  maintenanceWindow ? windowProblems(maintenanceWindow, effectiveDate, clock.now()) : [],
)
export class ScalingInput {
  @Field(() => ScalingAction, { description: 'Whether the service gets larger or smaller.' })
  scalingAction!: ScalingAction;

  @Field(() => String, {
    nullable: true,
    description: 'Bandwidth from the catalog, such as 500mbps or 1gbps, for services with a bandwidth.',
  })
  @NotNull()
  @MaxCharacters(20)
  @IsBandwidth()
  newBandwidth?: string;

  @Field(() => Int, { nullable: true, description: 'New number of units, for services that are sold by units.' })
  @NotNull()
  @Min(1, { message: 'must be at least 1' })
  newSize?: number;

  @Field(() => Date, {
    nullable: true,
    description:
      'When the new size takes effect, at most a year ahead. If it is null or omitted, the change takes effect at the start of the maintenance, or now if there is no maintenance.',
  })
  @IsOptional()
  effectiveDate?: Date | null;

  @Field(() => MaintenanceWindowInput, {
    nullable: true,
    description:
      'Time during which the service is in maintenance for the change. It must contain `effectiveDate`. If it is null or omitted, there is no maintenance.',
  })
  @IsOptional()
  @ValidateNested()
  maintenanceWindow?: MaintenanceWindowInput | null;
}

function sizeProblems({ newBandwidth, newSize }: Valid<ScalingInput>): FieldProblem[] {
  if (newBandwidth !== undefined && newSize !== undefined)
    return [{ field: 'newSize', value: newSize, reason: 'cannot be combined with newBandwidth' }];
  return newBandwidth === undefined && newSize === undefined ? [{ field: 'newBandwidth', reason: 'is required' }] : [];
}
