import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, MaxLength, ValidateBy, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { EVENT_PATTERNS, jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { EventsContext } from '../context.ts';
import { WebhookFamily, WebhookFilters } from './webhook.entity.ts';
import { filterProblems } from './webhook-filters.ts';
import { isAcceptableSecret, SECRET_PATTERN } from './webhook-secret.ts';
import { URL_LENGTH } from './webhook-url.ts';

const MAX_PATTERNS = 50;

const IsSecret = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isWebhookSecret', validator: { validate: (value) => typeof value === 'string' && isAcceptableSecret(value) } },
    {
      message: 'must have 16 to 255 printable ASCII characters; after whsec_ they must be base64',
      ...jsonSchema({ minLength: 16, maxLength: 255, pattern: SECRET_PATTERN }),
    },
  );

const Patterns = (): PropertyDecorator => (target, property) => {
  ArrayMinSize(1, { message: 'must name at least one event' })(target, property);
  ArrayMaxSize(MAX_PATTERNS, { message: `may have at most ${MAX_PATTERNS} patterns` })(target, property);
  Allow(EVENT_PATTERNS)(target, property);
};

const NamesEvents = Rule<{ events?: string[]; family?: WebhookFamily | null }, EventsContext>(({ events = [], family }, { eventTypes }) =>
  eventTypes.problemsOf(events, 'events', family),
);

@InputType()
@NamesEvents
@Rule<WebhookCreateInput>(({ filters, family }) => filterProblems(filters, family))
export class WebhookCreateInput {
  @Field(() => String, { description: 'An https address, stored as the URL standard normalizes it. Redirects are not followed.' })
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  url!: string;

  @Field(() => [String], {
    description:
      'Names and patterns: `ticket.created`, `service.*`, `billing.invoice.*`, `*`. The caller must be allowed to read the records that they tell of.',
  })
  @Patterns()
  events!: string[];

  @Field(() => String, {
    nullable: true,
    description:
      'Signs what is delivered: 16 to 255 printable ASCII characters; after `whsec_` base64. Default: one is made and shown in this answer only.',
  })
  @IsOptional()
  @IsSecret()
  secret?: string | null;

  @Field(() => Boolean, { defaultValue: true })
  active: boolean = true;

  @Field(() => WebhookFamily, { nullable: true, description: 'Accepts and delivers events of this family only.' })
  family?: WebhookFamily | null;

  @Field(() => WebhookFilters, { nullable: true })
  @IsOptional()
  @ValidateNested()
  filters?: WebhookFilters | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxLength(500, { message: 'may have at most 500 characters' })
  description?: string | null;
}

@InputType()
export class WebhookSecretRotateInput {
  @Field(() => String, {
    nullable: true,
    description: '16 to 255 printable ASCII characters; after `whsec_` base64. Default: one is made and shown in this answer only.',
  })
  @IsOptional()
  @IsSecret()
  secret?: string | null;
}

@InputType()
@NamesEvents
export class WebhookUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  url?: string;

  @Field(() => [String], { nullable: true, description: 'Replaces the patterns.' })
  @NotNull()
  @Patterns()
  events?: string[];

  @Field(() => String, {
    nullable: true,
    description: 'Replaces the secret at once, and ends a rotation. `rotateWebhookSecret` has both sign for a day.',
  })
  @NotNull()
  @IsSecret()
  secret?: string;

  @Field(() => Boolean, { nullable: true, description: 'true also resumes one that was disabled: what waits is delivered.' })
  @NotNull()
  active?: boolean;

  @Field(() => WebhookFilters, { nullable: true, description: 'Replaces the filters; null removes them.' })
  @IsOptional()
  @ValidateNested()
  filters?: WebhookFilters | null;

  @Field(() => String, { nullable: true, description: 'null removes it.' })
  @IsOptional()
  @MaxLength(500, { message: 'may have at most 500 characters' })
  description?: string | null;
}
