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

@InputType({ description: 'Recipient of a message. An e-mail uses `email`, `name` and `role`; an SMS uses `phone` and `name`.' })
export class NotificationRecipientInput {
  @Field(() => String, { nullable: true, description: 'E-mail address. Required for an e-mail.' })
  @IsOptional()
  @EmailAddress()
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Mobile number in E.164 form, such as +12125550100. Required for an SMS.' })
  @IsOptional()
  @Matches(/^\+[1-9]\d{6,14}$/, { message: 'must be a phone number in E.164 format such as +12125550100' })
  phone?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the recipient, 1 to 200 characters on one line.' })
  @IsOptional()
  @Characters(1, 200)
  @Matches(ONE_LINE, { message: ONE_LINE_REASON })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Role of the recipient, such as `it_manager`, at most 100 characters. It is stored as sent.',
  })
  @IsOptional()
  @MaxCharacters(100)
  role?: string | null;
}

@InputType({ description: 'Message about a ticket: an e-mail from a template, or an SMS with a text.' })
@Rule<NotificationInput>(requestProblems)
export class NotificationInput {
  @Field(() => NotificationType, { description: 'Channel of the message.' })
  type!: NotificationType;

  @Field(() => [NotificationRecipientInput], { description: `Recipients, 1 to ${MAX_RECIPIENTS}. Duplicates get one message.` })
  @ArrayMinSize(1, { message: 'must have at least one recipient' })
  @ArrayMaxSize(MAX_RECIPIENTS, { message: `must have at most ${MAX_RECIPIENTS} recipients` })
  @ValidateNested({ each: true })
  recipients!: NotificationRecipientInput[];

  @Field(() => String, { nullable: true, description: `Template of an e-mail: ${TEMPLATE_NAMES.join(', ')}. Default: ticket_update.` })
  @IsOptional()
  @MaxCharacters(100)
  @Allow(jsonSchema({ enum: TEMPLATE_NAMES }))
  template?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Subject of an e-mail, 1 to 255 characters, instead of the subject of the template. It can contain placeholders such as `{{ticket.number}}` and `{{eta}}`.',
  })
  @IsOptional()
  @Characters(1, 255)
  @Matches(ONE_LINE, { message: ONE_LINE_REASON })
  subject?: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Values for an e-mail by name: texts, numbers and booleans. Each value is listed in the e-mail and can be used as a placeholder in the subject. The value of `message` becomes a paragraph.',
  })
  @IsOptional()
  @MaxJson()
  @Allow(jsonSchema({ additionalProperties: { type: ['string', 'number', 'boolean'] }, maxProperties: 50 }))
  variables?: Record<string, unknown> | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether an e-mail includes the newest comments of the ticket. Default: false.' })
  includeComments?: boolean | null;

  @Field(() => CommentFilter, {
    nullable: true,
    description:
      'Comments to include in an e-mail. If internal comments are included, every recipient must be an agent. Default: `CUSTOMER_VISIBLE`.',
  })
  commentFilter?: CommentFilter | null;

  @Field(() => String, { nullable: true, description: `Text of an SMS, 1 to ${SMS_LENGTH} characters, sent as it is.` })
  @IsOptional()
  @Characters(1, SMS_LENGTH)
  message?: string | null;
}

@ArgsType()
export class LinkRevocation {
  @Field(() => ID, { description: 'Id of the ticket (`ticket_…`).' })
  ticketId!: string;

  @Field(() => [ID], {
    nullable: true,
    description: `Recipients whose links are revoked (\`nrec_…\`), at most ${MAX_RECIPIENTS}. Default: all.`,
  })
  @IsOptional()
  @ArrayMaxSize(MAX_RECIPIENTS, { message: `must have at most ${MAX_RECIPIENTS} recipients` })
  recipientIds?: string[] | null;
}

@InputType({ description: 'Conditions for a list of sent messages.' })
export class SentNotificationFilter {
  @Field(() => [NotificationType], { nullable: true, description: 'Only messages of these channels.' })
  type?: NotificationType[];

  @Field(() => [NotificationStatus], { nullable: true, description: 'Only messages with one of these results.' })
  status?: NotificationStatus[];
}
