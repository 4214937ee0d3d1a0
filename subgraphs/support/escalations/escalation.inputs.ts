import { ArrayMaxSize, IsOptional, Max, MaxLength, Min } from 'class-validator';
import { Field, InputType, Int } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { FREE_FORM, MaxJson } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { MAX_ESCALATION_LEVEL } from '../ticket.states.ts';

const LEVEL = `must be between 1 and ${MAX_ESCALATION_LEVEL}`;
const MAX_RECIPIENTS = 20;

@InputType({ description: 'Escalation of a ticket.' })
export class EscalationInput {
  @Field(() => Int, { description: `New level, 1 to ${MAX_ESCALATION_LEVEL}. It must be higher than the current level.` })
  @Min(1, { message: LEVEL })
  @Max(MAX_ESCALATION_LEVEL, { message: LEVEL })
  escalationLevel!: number;

  @Field(() => String, { nullable: true, description: 'Reason, which the customer can read too. 1 to 500 characters.' })
  @IsOptional()
  @Characters(1, 500)
  reason?: string | null;

  @Field(() => [String], { nullable: true, description: `E-mail addresses to notify, at most ${MAX_RECIPIENTS}.` })
  @IsOptional()
  @ArrayMaxSize(MAX_RECIPIENTS, { message: `may have at most ${MAX_RECIPIENTS} addresses` })
  @EmailAddress('must be e-mail addresses', { each: true })
  notify?: string[] | null;

  @Field(() => JsonObject, { nullable: true, description: FREE_FORM })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown> | null;

  @Field(() => String, {
    nullable: true,
    description: 'Internal remarks for the support desk, at most 20000 characters. Customers cannot read them.',
  })
  @IsOptional()
  @MaxLength(20_000, { message: 'may have at most 20000 characters' })
  comments?: string | null;
}
