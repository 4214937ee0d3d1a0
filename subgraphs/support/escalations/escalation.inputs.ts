import { ArrayMaxSize, IsOptional, Max, MaxLength, Min } from 'class-validator';
import { Field, InputType, Int } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { FREE_FORM, MaxJson } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { MAX_ESCALATION_LEVEL } from '../ticket.states.ts';

const LEVEL = `must be between 1 and ${MAX_ESCALATION_LEVEL}`;
const MAX_RECIPIENTS = 20;

@InputType()
export class EscalationInput {
  @Field(() => Int, { description: `1 to ${MAX_ESCALATION_LEVEL}, and higher than the ticket has.` })
  @Min(1, { message: LEVEL })
  @Max(MAX_ESCALATION_LEVEL, { message: LEVEL })
  escalationLevel!: number;

  @Field(() => String, { nullable: true, description: 'Shown to the customer too.' })
  @IsOptional()
  @Characters(1, 500)
  reason?: string | null;

  @Field(() => [String], { nullable: true, description: 'E-mail addresses that are told.' })
  @IsOptional()
  @ArrayMaxSize(MAX_RECIPIENTS, { message: `may have at most ${MAX_RECIPIENTS} addresses` })
  @EmailAddress('must be e-mail addresses', { each: true })
  notify?: string[] | null;

  @Field(() => JsonObject, { nullable: true, description: `Kept with the escalation. ${FREE_FORM}` })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown> | null;

  @Field(() => String, { nullable: true, description: 'For the desk; never shown to customers.' })
  @IsOptional()
  @MaxLength(20_000, { message: 'may have at most 20000 characters' })
  comments?: string | null;
}
