import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { MaxJson } from '../../../kernel/graphql/max-json.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { CommentFilter, NotificationStatus, NotificationType } from './notification.states.ts';
import { requestProblems } from './notification-request.ts';
import { TEMPLATE_NAMES } from './notification-templates.ts';

export const MAX_RECIPIENTS = 50;
/** Maximum length of an SMS: ten parts, which is the limit of the providers. */
const SMS_LENGTH = 1530;

const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
const ONE_LINE_REASON = 'must be one line, without control characters';

@InputType({ description: 'Of an e-mail: email, name, role. Of an SMS: phone, name.' })
export class NotificationRecipientInput {
  @Field(() => String, { nullable: true })
  @IsOptional()
  @EmailAddress()
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'In E.164 form, such as +12125550100.' })
  @IsOptional()
  @Matches(/^\+[1-9]\d{6,14}$/, { message: 'must be a phone number in E.164 format such as +12125550100' })
  phone?: string | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Characters(1, 200)
  @Matches(ONE_LINE, { message: ONE_LINE_REASON })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Kept as sent, such as `it_manager`.' })
  @IsOptional()
  @MaxCharacters(100)
  role?: string | null;
}

@InputType({ description: 'Who is told what about a ticket: an e-mail by a template, or an SMS with a message.' })
@Rule<NotificationInput>(requestProblems)
export class NotificationInput {
  @Field(() => NotificationType)
  type!: NotificationType;

  @Field(() => [NotificationRecipientInput], { description: `1 to ${MAX_RECIPIENTS}; who is named twice is told once.` })
  @ArrayMinSize(1, { message: 'must have at least one recipient' })
  @ArrayMaxSize(MAX_RECIPIENTS, { message: `must have at most ${MAX_RECIPIENTS} recipients` })
  @ValidateNested({ each: true })
  recipients!: NotificationRecipientInput[];

  @Field(() => String, { nullable: true, description: `Of an e-mail: ${TEMPLATE_NAMES.join(', ')}. Default: ticket_update.` })
  @IsOptional()
  @MaxCharacters(100)
  template?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Of an e-mail, in place of that of its template. May hold placeholders: `{{ticket.number}}`, `{{eta}}`.',
  })
  @IsOptional()
  @Characters(1, 255)
  @Matches(ONE_LINE, { message: ONE_LINE_REASON })
  subject?: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Of an e-mail: texts, numbers and booleans by name. Each is listed in the mail, and may stand in the subject; `message` is a paragraph of its own.',
  })
  @IsOptional()
  @MaxJson()
  @Allow(jsonSchema({ additionalProperties: { type: ['string', 'number', 'boolean'] }, maxProperties: 50 }))
  variables?: Record<string, unknown> | null;

  @Field(() => Boolean, { nullable: true, description: 'Of an e-mail: whether it shows the newest comments on the ticket.' })
  includeComments?: boolean | null;

  @Field(() => CommentFilter, {
    nullable: true,
    description: 'Of an e-mail with comments: which. With internal ones every recipient must be an agent. Default: CUSTOMER_VISIBLE.',
  })
  commentFilter?: CommentFilter | null;

  @Field(() => String, { nullable: true, description: 'Of an SMS: its text, sent as it is.' })
  @IsOptional()
  @Characters(1, SMS_LENGTH)
  message?: string | null;
}

@ArgsType()
export class LinkRevocation {
  @Field(() => ID)
  ticketId!: string;

  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(MAX_RECIPIENTS, { message: `must have at most ${MAX_RECIPIENTS} recipients` })
  recipientIds?: string[] | null;
}

@InputType()
export class SentNotificationFilter {
  @Field(() => [NotificationType], { nullable: true })
  type?: NotificationType[];

  @Field(() => [NotificationStatus], { nullable: true })
  status?: NotificationStatus[];
}
