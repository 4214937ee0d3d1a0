import { ArrayMaxSize, IsIn, IsOptional, Length, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { FREE_FORM, MaxJson } from '../../../kernel/graphql/max-json.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { AttachmentInput } from '../attachments/attachment.values.ts';
import { MAX_FILES } from '../attachments/attachment-data.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';
import { TicketPriority, TicketStatus } from '../ticket.states.ts';
import { HITS_MAX } from '../ticket-search/ticket-search-statements.ts';
import { TicketSortField } from '../ticket-search/ticket-sort.ts';
import { TicketContact, TicketLocation } from './ticket.values.ts';

@InputType()
export class TicketCreateInput {
  @Field(() => String)
  @Characters(1, 255)
  title!: string;

  @Field(() => String)
  @Characters(1, 20_000)
  description!: string;

  @Field(() => ID, { nullable: true, description: 'The customer number (`cust_…`) of an account.' })
  @IsOptional()
  @Matches(/^cust_\w+$/, { message: 'must be a customer id (cust_…)' })
  customerId?: string;

  @Field(() => TicketContact, { nullable: true })
  @IsOptional()
  @ValidateNested()
  contact?: TicketContact;

  @Field(() => String, { nullable: true, description: `One of ${CATEGORY_IDS.join(', ')}. Default: general.` })
  @IsOptional()
  @IsIn(CATEGORY_IDS, { message: `must be one of ${CATEGORY_IDS.join(', ')}` })
  category?: string;

  @Field(() => String, { nullable: true, description: 'One of the category, or any other text that is none of another category.' })
  @IsOptional()
  @MaxLength(100)
  subcategory?: string;

  @Field(() => TicketPriority, { defaultValue: TicketPriority.MEDIUM })
  priority: TicketPriority = TicketPriority.MEDIUM;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxLength(100)
  severity?: string;

  @Field(() => String, { nullable: true, description: 'A service id (`svc_…`), or a name for what is affected.' })
  @IsOptional()
  @Length(1, 200)
  serviceAffected?: string;

  @Field(() => TicketLocation, { nullable: true })
  @IsOptional()
  @ValidateNested()
  location?: TicketLocation;

  @Field(() => JsonObject, { nullable: true, description: FREE_FORM })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown>;

  @Field(() => [AttachmentInput], { nullable: true, description: `At most ${MAX_FILES} files.` })
  @IsOptional()
  @ArrayMaxSize(MAX_FILES, { message: `may have at most ${MAX_FILES} files` })
  @ValidateNested()
  attachments?: AttachmentInput[];
}

@InputType()
export class TicketUpdateInput {
  @Field(() => TicketStatus, { nullable: true })
  @NotNull()
  status?: TicketStatus;

  @Field(() => TicketPriority, { nullable: true })
  @NotNull()
  priority?: TicketPriority;

  @Field(() => ID, { nullable: true, description: 'An agent id.' })
  @NotNull()
  @Matches(/^agent_\w+$/, { message: 'must be an agent id (agent_…)' })
  assignedTo?: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'While it waits for its customer, the clock of its resolution stands. What the customer answers ends it.',
  })
  @NotNull()
  waitingOnCustomer?: boolean;

  @Field(() => Date, { nullable: true })
  estimatedResolution?: Date;

  @Field(() => String, { nullable: true, description: 'Becomes an internal comment.' })
  @IsOptional()
  @MaxLength(20_000)
  internalNotes?: string;

  @Field(() => String, { nullable: true, description: 'What the customer is told; becomes a comment too where it is news.' })
  @IsOptional()
  @MaxLength(20_000)
  customerUpdate?: string;

  @Field(() => JsonObject, { nullable: true, description: `Replaces the metadata. ${FREE_FORM}` })
  @NotNull()
  @MaxJson()
  metadata?: Record<string, unknown>;
}

@InputType()
export class TicketFilter {
  @Field(() => String, {
    nullable: true,
    description: [
      'Words of the title, the description and the comments that the caller may read: `fiber -modem`, `"no light"`, `outage or down`.',
      `Of many tickets that hold them the ${HITS_MAX} newest are the list, the most relevant first unless it says otherwise.`,
      'The number (`TKT-1042`) or id of a ticket finds that one.',
    ].join(' '),
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

  @Field(() => [ID], { nullable: true, description: 'Agent ids.' })
  assignedTo?: string[];

  @Field(() => [ID], { nullable: true })
  serviceAffected?: string[];

  @Field(() => Date, { nullable: true })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true })
  createdBefore?: Date;
}

export const TicketSort = sortOf('Ticket', TicketSortField, {
  STATUS: 'By the life cycle: open, in_progress, escalated, resolved.',
  PRIORITY: 'By urgency: low, medium, high, critical.',
  NUMBER: 'By the digits: TKT-999 before TKT-1000.',
});
