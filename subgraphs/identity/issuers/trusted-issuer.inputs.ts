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
  ArrayMinSize(1, { message: 'must have at least one permission' })(target, key);
  ArrayMaxSize(GRANTS_MAX, { message: `must have at most ${GRANTS_MAX} permissions` })(target, key);
  AreGrants()(target, key);
};
const HTTPS = jsonSchema({ format: 'uri' });
const Claim = (): PropertyDecorator => Matches(/^[\x21-\x7e]{1,200}$/, { message: 'must be the name of a claim' });
const Subjects = (): PropertyDecorator => (target, key) => {
  ArrayMaxSize(SUBJECTS_MAX, { message: `must have at most ${SUBJECTS_MAX} subjects` })(target, key);
  Matches(/^[\x20-\x7e]{1,255}$/, { each: true, message: 'must be a list of subjects of 1 to 255 printable characters' })(target, key);
};

@InputType({ description: 'Authorization server to trust.' })
export class TrustedIssuerCreateInput {
  @Field(() => String, { description: 'Name shown in lists, 1 to 100 characters.' })
  @Name(100)
  name!: string;

  @Field(() => String, { description: 'Claim `iss` of the tokens of the issuer: an https URL. It is compared exactly.' })
  @Identifier()
  @Allow(HTTPS)
  issuer!: string;

  @Field(() => String, { description: 'Value that the claim `aud` of the tokens must contain.' })
  @Identifier()
  audience!: string;

  @Field(() => String, { description: 'https address of the public keys (JWKS) of the issuer. Redirects are not followed.' })
  @Identifier()
  @Allow(HTTPS)
  jwksUri!: string;

  @Field(() => [String], { description: 'Maximum permissions of the tokens of the issuer. The caller must have each permission.' })
  @Grants()
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_CREDENTIALS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Claim that narrows the permissions of a token, such as `scope`. Default: none.' })
  @IsOptional()
  @Claim()
  permissionsClaim?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `Subjects (claim \`sub\`) whose tokens are accepted, at most ${SUBJECTS_MAX}. A subject can end with \`*\`. Default: all.`,
  })
  @IsOptional()
  @Subjects()
  subjects?: string[] | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class TrustedIssuerUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name shown in lists, 1 to 100 characters.' })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => String, { nullable: true, description: 'Claim `iss` of the tokens of the issuer: an https URL. It is compared exactly.' })
  @NotNull()
  @Identifier()
  @Allow(HTTPS)
  issuer?: string;

  @Field(() => String, { nullable: true, description: 'Value that the claim `aud` of the tokens must contain.' })
  @NotNull()
  @Identifier()
  audience?: string;

  @Field(() => String, {
    nullable: true,
    description: 'https address of the public keys (JWKS) of the issuer. Redirects are not followed.',
  })
  @NotNull()
  @Identifier()
  @Allow(HTTPS)
  jwksUri?: string;

  @Field(() => [String], {
    nullable: true,
    description: 'Maximum permissions of the tokens of the issuer. The caller must have each permission. Replaces the whole list.',
  })
  @NotNull()
  @Grants()
  permissions?: Grant[];

  @Field(() => [ID], { nullable: true, description: CHANGED_ACCOUNTS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Claim that narrows the permissions of a token, such as `scope`. Null means none.' })
  @IsOptional()
  @Claim()
  permissionsClaim?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `Subjects (claim \`sub\`) whose tokens are accepted, at most ${SUBJECTS_MAX}. Replaces all of them; empty means all.`,
  })
  @NotNull()
  @Subjects()
  subjects?: string[];
}
