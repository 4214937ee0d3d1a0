import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Matches } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import { Name } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { ACCOUNTS_OF_CREDENTIALS, AreAccounts, CHANGED_ACCOUNTS } from '../granting/account-list.ts';
import { AreGrants, GRANTS_MAX } from '../granting/grants.ts';

const SUBJECTS_MAX = 100;
const PRINTABLE = { message: 'must have 1 to 500 printable characters' };

const Identifier = (): PropertyDecorator => Matches(/^[\x21-\x7e]{1,500}$/, PRINTABLE);
const Grants = (): PropertyDecorator => (target, key) => {
  ArrayMinSize(1, { message: 'must hold at least one permission' })(target, key);
  ArrayMaxSize(GRANTS_MAX, { message: `must hold at most ${GRANTS_MAX} permissions` })(target, key);
  AreGrants()(target, key);
};
const HTTPS = jsonSchema({ format: 'uri' });
const Claim = (): PropertyDecorator => Matches(/^[\x21-\x7e]{1,200}$/, { message: 'must be the name of a claim' });
const Subjects = (): PropertyDecorator => (target, key) => {
  ArrayMaxSize(SUBJECTS_MAX, { message: `must hold at most ${SUBJECTS_MAX} subjects` })(target, key);
  Matches(/^[\x20-\x7e]{1,255}$/, { each: true, message: 'must hold subjects of 1 to 255 printable characters' })(target, key);
};

@InputType()
export class TrustedIssuerCreateInput {
  @Field(() => String)
  @Name(100)
  name!: string;

  @Field(() => String, { description: 'The claim `iss` of its tokens, to the letter: an https URL.' })
  @Identifier()
  @Allow(HTTPS)
  issuer!: string;

  @Field(() => String, { description: 'The claim `aud` of its tokens.' })
  @Identifier()
  audience!: string;

  @Field(() => String, { description: 'An https URL. Redirects are not followed.' })
  @Identifier()
  @Allow(HTTPS)
  jwksUri!: string;

  @Field(() => [String], { description: "What its tokens may do at most. None beyond the caller's own." })
  @Grants()
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_CREDENTIALS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'The claim that narrows this for one token, such as `scope`.' })
  @IsOptional()
  @Claim()
  permissionsClaim?: string | null;

  @Field(() => [String], { nullable: true, description: 'The subjects whose tokens are taken; one may end with `*`. None: all of them.' })
  @IsOptional()
  @Subjects()
  subjects?: string[] | null;
}

@InputType()
export class TrustedIssuerUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @Identifier()
  @Allow(HTTPS)
  issuer?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @Identifier()
  audience?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @Identifier()
  @Allow(HTTPS)
  jwksUri?: string;

  @Field(() => [String], { nullable: true, description: "Replaces the permissions. None beyond the caller's own." })
  @NotNull()
  @Grants()
  permissions?: Grant[];

  @Field(() => [ID], { nullable: true, description: CHANGED_ACCOUNTS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'null: no claim narrows the permissions.' })
  @IsOptional()
  @Claim()
  permissionsClaim?: string | null;

  @Field(() => [String], { nullable: true, description: 'Replaces the subjects.' })
  @NotNull()
  @Subjects()
  subjects?: string[];
}
