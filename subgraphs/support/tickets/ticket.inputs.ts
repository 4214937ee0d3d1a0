import { ArrayMaxSize, IsIn, IsOptional, Length, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { FREE_FORM, MaxJson } from '../../../kernel/graphql/max-json.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { AttachmentInput } from '../attachments/attachment.values.ts';
import { MAX_FILES } from '../attachments/attachment-data.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';
import { TicketStatus } from '../ticket.states.ts';
import { HITS_MAX } from '../ticket-search/ticket-hits.ts';
import { TicketSortField } from '../ticket-search/ticket-sort.ts';
import { TicketContact, TicketLocation } from './ticket.values.ts';

@InputType({ description: 'Ticket to create.' })
export class TicketCreateInput {
  @Field(() => String, { description: 'Short summary shown in lists, 1 to 255 characters.' })
  @Characters(1, 255)
  title!: string;

  @Field(() => String, { description: 'Description of the problem as plain text, 1 to 20000 characters.' })
  @Characters(1, 20_000)
  description!: string;

  @Field(() => ID, { nullable: true, description: 'Customer number of the account that the ticket belongs to (`cust_…`).' })
  @IsOptional()
  @Matches(/^cust_\w+$/, { message: 'must be a customer id (cust_…)' })
  customerId?: string;

  @Field(() => TicketContact, { nullable: true, description: 'Person to contact about the ticket.' })
  @IsOptional()
  @ValidateNested()
  contact?: TicketContact;

  @Field(() => String, { nullable: true, description: `Category: ${CATEGORY_IDS.join(', ')}. Default: general.` })
  @IsOptional()
  @IsIn(CATEGORY_IDS, { message: `must be one of ${CATEGORY_IDS.join(', ')}` })
  category?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Id of a subcategory of the category, or your own text, at most 100 characters. Ids of other categories are rejected.',
  })
  @IsOptional()
  @MaxLength(100)
  subcategory?: string;

  @Field(() => TicketPriority, {
    defaultValue: TicketPriority.MEDIUM,
    description: 'Urgency. The targets of the service level depend on it.',
  })
  priority: TicketPriority = TicketPriority.MEDIUM;

  @Field(() => String, {
    nullable: true,
    description: 'Effect on the customer in your own words, such as `business_impacting`, at most 100 characters.',
  })
  @IsOptional()
  @MaxLength(100)
  severity?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Affected service: its id (`svc_…`), or a name for the affected part, 1 to 200 characters.',
  })
  @IsOptional()
  @Length(1, 200)
  serviceAffected?: string;

  @Field(() => TicketLocation, { nullable: true, description: 'Site that is affected.' })
  @IsOptional()
  @ValidateNested()
  location?: TicketLocation;

  @Field(() => JsonObject, { nullable: true, description: FREE_FORM })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown>;

  @Field(() => [AttachmentInput], { nullable: true, description: `Files, at most ${MAX_FILES}.` })
  @IsOptional()
  @ArrayMaxSize(MAX_FILES, { message: `may have at most ${MAX_FILES} files` })
  @ValidateNested()
  attachments?: AttachmentInput[];
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class TicketUpdateInput {
  @Field(() => TicketStatus, { nullable: true, description: 'New state.' })
  @NotNull()
  status?: TicketStatus;

  @Field(() => TicketPriority, { nullable: true, description: 'New urgency. The targets of the service level are calculated again.' })
  @NotNull()
  priority?: TicketPriority;

  @Field(() => ID, { nullable: true, description: 'Agent or desk that works on the ticket (`agent_…`).' })
  @NotNull()
  @Matches(/^agent_\w+$/, { message: 'must be an agent id (agent_…)' })
  assignedTo?: string;

  @Field(() => Boolean, { nullable: true, description: 'True pauses the resolution clock until the customer replies.' })
  @NotNull()
  waitingOnCustomer?: boolean;

  @Field(() => Date, { nullable: true, description: 'When you expect to resolve the ticket. Null removes it.' })
  estimatedResolution?: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Text that is added as an internal comment, at most 20000 characters. Null adds no comment.',
  })
  @IsOptional()
  @MaxLength(20_000)
  internalNotes?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Message to the customer, at most 20000 characters. A new text is also added as a comment. Null removes the message.',
  })
  @IsOptional()
  @MaxLength(20_000)
  customerUpdate?: string;

  @Field(() => JsonObject, { nullable: true, description: `${FREE_FORM} Replaces the current one.` })
  @NotNull()
  @MaxJson()
  metadata?: Record<string, unknown>;
}

@InputType({ description: 'Conditions for a list of tickets. A ticket must meet all of them.' })
export class TicketFilter {
  @Field(() => String, {
    nullable: true,
    description: `Search words, such as \`fiber -modem\`, \`"no light"\` or \`outage or down\`. 1 to 200 characters. Title, description and the comments that the caller may read are searched. Only the newest ${HITS_MAX} matches are considered. A ticket number (\`TKT-1042\`) or id finds that ticket.`,
  })
  @IsOptional()
  @Characters(1, 200)
  q?: string;

  @Field(() => [TicketStatus], { nullable: true })
  status?: TicketStatus[];

  @Field(() => [TicketPriority], { nullable: true })
  priority?: TicketPriority[];

  @Field(() => [ID], { nullable: true })
  customerId?: string[];

  @Field(() => [String], { nullable: true })
  category?: string[];

  @Field(() => [ID], { nullable: true, description: 'Only tickets that are assigned to these agents, by id (`agent_…`).' })
  assignedTo?: string[];

  @Field(() => [ID], { nullable: true, description: 'Only tickets whose `serviceAffected` has one of these values.' })
  serviceAffected?: string[];

  @Field(() => Date, { nullable: true })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true })
  createdBefore?: Date;
}

export const TicketSort = sortOf('Ticket', TicketSortField, {
  STATUS: 'Life cycle: open, in_progress, escalated, resolved.',
  PRIORITY: 'Urgency: low, medium, high, critical.',
  NUMBER: 'Ticket number as a number: TKT-999 before TKT-1000.',
  RESOLUTION_DUE: 'Time at which the resolution is due.',
});
