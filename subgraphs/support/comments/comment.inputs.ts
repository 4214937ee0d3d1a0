import { ArrayMaxSize, IsOptional, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { FREE_FORM, MaxJson } from '../../../kernel/graphql/max-json.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { AttachmentInput } from '../attachments/attachment.values.ts';
import { MAX_FILES } from '../attachments/attachment-data.ts';
import { AuthorType } from '../comment-author.ts';
import type { SupportContext } from '../context.ts';
import { isDesk, Visibility } from '../visibility.ts';
import { INTERNAL_NOTE } from './comment.entity.ts';

@InputType({
  description:
    'Author of a comment that an API key or client writes for somebody else. An agent, the system or an id need `support:write`. Users always write for themselves.',
})
@Rule<CommentAuthorInput, SupportContext>(({ type, id }, { principal }) => {
  // users and customers may state only themselves as author; `CommentAuthors` checks this
  if (principal.kind === 'user' || !isDesk(principal)) return [];
  if (type === AuthorType.AGENT && !id) return [{ field: 'id', reason: 'is required for an agent' }];
  const isKnown = type !== AuthorType.CUSTOMER || !id || id === principal.id || /^(user|cust)_/.test(id);
  return isKnown ? [] : [{ field: 'id', value: id, reason: 'must be a user id (user_…) or a customer number (cust_…)' }];
})
export class CommentAuthorInput {
  @Field(() => AuthorType, { description: 'Kind of author.' })
  type!: AuthorType;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the agent (required for an agent), or of the customer: a user id (`user_…`) or customer number (`cust_…`).',
  })
  @IsOptional()
  @MaxLength(100, { message: 'may have at most 100 characters' })
  id?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Display name, 1 to 200 characters. Ignored for agents and users, because their records contain a name.',
  })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;
}

@InputType({ description: 'Comment to add.' })
@Rule<CommentCreateInput>(({ type, visibility: value }) =>
  type === INTERNAL_NOTE && value === Visibility.CUSTOMER
    ? [{ field: 'visibility', value, reason: 'must be internal for an internal_note' }]
    : [],
)
export class CommentCreateInput {
  @Field(() => String, { description: 'Text of the comment, 1 to 20000 characters.' })
  @Characters(1, 20_000)
  content!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Purpose of the comment in snake case, such as `reply`, `customer_update`, `internal_note` or `resolution`. Default: `reply`, or `internal_note` if the comment is internal.',
  })
  @IsOptional()
  @Matches(/^[a-z][a-z0-9_]{0,49}$/, {
    message: 'must be at most 50 lower case letters, digits and underscores, such as customer_update',
  })
  type?: string | null;

  @Field(() => Visibility, {
    nullable: true,
    description:
      'Who can read the comment. Default: `customer`, or `internal` for the type `internal_note`. Internal comments require `support:write`.',
  })
  visibility?: Visibility | null;

  @Field(() => CommentAuthorInput, {
    nullable: true,
    description: 'Person or program that the comment is written for. Default: the caller.',
  })
  @IsOptional()
  @ValidateNested()
  author?: CommentAuthorInput | null;

  @Field(() => [AttachmentInput], { nullable: true, description: `Files, at most ${MAX_FILES}.` })
  @IsOptional()
  @ArrayMaxSize(MAX_FILES, { message: `may have at most ${MAX_FILES} files` })
  @ValidateNested()
  attachments?: AttachmentInput[] | null;

  @Field(() => JsonObject, { nullable: true, description: FREE_FORM })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown> | null;
}
