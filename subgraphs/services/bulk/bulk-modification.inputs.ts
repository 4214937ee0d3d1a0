import { IsOptional, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { MaxJson } from '../../../kernel/graphql/max-json.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule, type Valid } from '../../../kernel/graphql/rule.ts';
import { Json, JsonObject } from '../../../kernel/graphql/scalars.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { type FeatureSelection, IsFeatureSelection } from '../changes/feature-selection.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { IsServiceIds, MAX_ITEMS } from './bulk.inputs.ts';

const NAMES = ['bandwidth', 'sla', 'billingCycle', 'features', 'configuration'] as const;
const isChanged = (input: object): boolean => NAMES.some((name) => (input as Record<string, unknown>)[name] !== undefined);

/** New terms of one service, or of several services. */
@InputType()
export abstract class BulkChange {
  @Field(() => String, { nullable: true, description: 'Bandwidth from the catalog, such as 500mbps or 1gbps.' })
  @NotNull()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth?: string;

  @Field(() => String, { nullable: true, description: 'Service level from the catalog, such as `enterprise`.' })
  @NotNull()
  @MaxCharacters(50)
  sla?: string;

  @Field(() => BillingCycle, { nullable: true, description: 'How often the service is invoiced.' })
  @NotNull()
  billingCycle?: BillingCycle;

  @Field(() => Json, {
    nullable: true,
    description:
      'Either an object such as `{"static_ip": true}`, which switches single features on or off, or a list with all features that are switched on. At most 50.',
  })
  @NotNull()
  @IsFeatureSelection()
  features?: FeatureSelection;

  @Field(() => JsonObject, {
    nullable: true,
    description: 'Settings that are specific to the kind of service. Settings that you omit stay; null removes a setting. At most 16 KiB.',
  })
  @NotNull()
  @MaxJson()
  configuration?: Record<string, unknown>;
}

@InputType({ description: 'New terms of one service in a bulk. At least one new term is required.' })
@Rule<BulkServiceChangeInput>((input) => (isChanged(input) ? [] : [{ field: NAMES[0], reason: `is required, or one of ${OTHERS}` }]))
export class BulkServiceChangeInput extends BulkChange {
  @Field(() => ID, { description: 'Service to change (`svc_…`).' })
  serviceId!: string;
}

const OTHERS = NAMES.slice(1)
  .map((name) => (name === 'billingCycle' ? 'billing_cycle' : name))
  .join(', ');

@InputType({ description: 'Services to change in a bulk: either `serviceIds` with the same new terms for all, or `services`.' })
@Rule<BulkChangeInput>(problemsOf)
export class BulkChangeInput extends BulkChange {
  @Field(() => [ID], { nullable: true, description: `Services that all get the new terms of this input (\`svc_…\`), 1 to ${MAX_ITEMS}.` })
  @IsOptional()
  @IsServiceIds()
  serviceIds?: string[] | null;

  @Field(() => [BulkServiceChangeInput], { nullable: true, description: `Services that each get their own new terms, 1 to ${MAX_ITEMS}.` })
  @IsOptional()
  @IsServiceIds()
  @ValidateNested({ each: true })
  services?: BulkServiceChangeInput[] | null;
}

function problemsOf(input: Valid<BulkChangeInput>): FieldProblem[] {
  const { serviceIds, services } = input;
  if (serviceIds && services) return [{ field: 'services', reason: 'cannot be combined with serviceIds' }];
  if (services) {
    const mixed = isChanged(input) ? [{ field: 'services', reason: 'must contain the new terms of each service' }] : [];
    return [
      ...mixed,
      ...twice(services.map((item) => item?.serviceId ?? null)).map((at) => ({ ...at, field: `services.${at.field}.serviceId` })),
    ];
  }
  if (!serviceIds) return [{ field: 'serviceIds', reason: 'is required, or services' }];
  const missing = isChanged(input) ? [] : [{ field: NAMES[0], reason: `is required, or one of ${OTHERS}` }];
  return [...twice(serviceIds).map((at) => ({ ...at, field: `serviceIds.${at.field}` })), ...missing];
}

/** Returns a problem for each id that occurs earlier in the list. The `field` of the problem is the position of the repeated id. */
const twice = (ids: readonly (string | null)[]): FieldProblem[] =>
  ids.flatMap((id, index) =>
    id !== null && ids.indexOf(id) < index ? [{ field: String(index), value: id, reason: 'is already in the list' }] : [],
  );
