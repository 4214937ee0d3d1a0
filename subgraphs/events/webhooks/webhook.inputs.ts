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

@InputType({ description: 'Webhook to create.' })
@NamesEvents
@Rule<WebhookCreateInput>(({ filters, family }) => filterProblems(filters, family))
export class WebhookCreateInput {
  @Field(() => String, {
    description:
      'https address to post events to. The address is normalized according to the WHATWG URL standard. Redirects are not followed.',
  })
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  url!: string;

  @Field(() => [String], {
    description: `Event names and patterns, such as \`ticket.created\`, \`service.*\`, \`billing.invoice.*\` or \`*\`; 1 to ${MAX_PATTERNS}. The caller must be allowed to read the records of these events.`,
  })
  @Patterns()
  events!: string[];

  @Field(() => String, {
    nullable: true,
    description:
      'Secret that signs deliveries: 16 to 255 printable ASCII characters. If it starts with `whsec_`, the rest must be base64. Default: the platform generates one and shows it in this response only.',
  })
  @IsOptional()
  @IsSecret()
  secret?: string | null;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether events are delivered. Default: true.' })
  active: boolean = true;

  @Field(() => WebhookFamily, { nullable: true, description: 'Accept and deliver only events of this family. Default: no limit.' })
  family?: WebhookFamily | null;

  @Field(() => WebhookFilters, { nullable: true, description: 'Conditions that events must meet.' })
  @IsOptional()
  @ValidateNested()
  filters?: WebhookFilters | null;

  @Field(() => String, { nullable: true, description: 'Free text, at most 500 characters.' })
  @IsOptional()
  @MaxLength(500, { message: 'may have at most 500 characters' })
  description?: string | null;
}

@InputType({ description: 'New secret of a webhook.' })
export class WebhookSecretRotateInput {
  @Field(() => String, {
    nullable: true,
    description:
      '16 to 255 printable ASCII characters. If it starts with `whsec_`, the rest must be base64. Default: the platform generates one and shows it in this response only.',
  })
  @IsOptional()
  @IsSecret()
  secret?: string | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
@NamesEvents
export class WebhookUpdateInput {
  @Field(() => String, {
    nullable: true,
    description:
      'https address to post events to. The address is normalized according to the WHATWG URL standard. Redirects are not followed.',
  })
  @NotNull()
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  url?: string;

  @Field(() => [String], { nullable: true, description: `Event names and patterns, 1 to ${MAX_PATTERNS}. Replaces the whole list.` })
  @NotNull()
  @Patterns()
  events?: string[];

  @Field(() => String, {
    nullable: true,
    description:
      'New secret. It replaces the current secret immediately and ends a rotation. Rotate the secret instead if both secrets must sign for 24 hours.',
  })
  @NotNull()
  @IsSecret()
  secret?: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'False stops deliveries. True also resumes a webhook that the platform disabled, and delivers the waiting events.',
  })
  @NotNull()
  active?: boolean;

  @Field(() => WebhookFilters, {
    nullable: true,
    description: 'Conditions that events must meet. Replaces all conditions; null removes all conditions.',
  })
  @IsOptional()
  @ValidateNested()
  filters?: WebhookFilters | null;

  @Field(() => String, { nullable: true, description: 'Free text, at most 500 characters. Null removes it.' })
  @IsOptional()
  @MaxLength(500, { message: 'may have at most 500 characters' })
  description?: string | null;
}
