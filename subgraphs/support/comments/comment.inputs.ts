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
    'For whom an API key or client speaks. Stating an agent, the system or an id needs `support:write`; users speak for themselves.',
})
@Rule<CommentAuthorInput, SupportContext>(({ type, id }, { principal }) => {
  // users comment in their own name, and callers outside the desk cannot state another author; both are checked elsewhere
  if (principal.kind === 'user' || !isDesk(principal)) return [];
  if (type === AuthorType.AGENT && !id) return [{ field: 'id', reason: 'is required for an agent' }];
  const isKnown = type !== AuthorType.CUSTOMER || !id || id === principal.id || /^(user|cust)_/.test(id);
  return isKnown ? [] : [{ field: 'id', value: id, reason: 'must be a user id (user_…) or a customer number (cust_…)' }];
})
export class CommentAuthorInput {
  @Field(() => AuthorType)
  type!: AuthorType;

  @Field(() => ID, {
    nullable: true,
    description: 'Of an agent (required then), or of a customer: a user id (`user_…`) or customer number (`cust_…`).',
  })
  @IsOptional()
  @MaxLength(100, { message: 'may have at most 100 characters' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Agents and users have the name of their record.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;
}

@InputType()
@Rule<CommentCreateInput>(({ type, visibility: value }) =>
  type === INTERNAL_NOTE && value === Visibility.CUSTOMER
    ? [{ field: 'visibility', value, reason: 'must be internal for an internal_note' }]
    : [],
)
export class CommentCreateInput {
  @Field(() => String)
  @Characters(1, 20_000)
  content!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'A word in snake case, such as `reply`, `customer_update`, `internal_note`, `resolution`. Default: `reply`, `internal_note` where it is internal.',
  })
  @IsOptional()
  @Matches(/^[a-z][a-z0-9_]{0,49}$/, {
    message: 'must be at most 50 lower case letters, digits and underscores, such as customer_update',
  })
  type?: string | null;

  @Field(() => Visibility, {
    nullable: true,
    description: 'Default: customer, internal for the type `internal_note`. Internal ones need `support:write`, to write and to read.',
  })
  visibility?: Visibility | null;

  @Field(() => CommentAuthorInput, { nullable: true, description: 'Default: the caller.' })
  @IsOptional()
  @ValidateNested()
  author?: CommentAuthorInput | null;

  @Field(() => [AttachmentInput], { nullable: true, description: `At most ${MAX_FILES} files.` })
  @IsOptional()
  @ArrayMaxSize(MAX_FILES, { message: `may have at most ${MAX_FILES} files` })
  @ValidateNested()
  attachments?: AttachmentInput[] | null;

  @Field(() => JsonObject, { nullable: true, description: FREE_FORM })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown> | null;
}
