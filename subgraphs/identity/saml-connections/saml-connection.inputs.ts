import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsOptional,
  Matches,
  MaxLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { normalizedDomain } from '../../../kernel/values/email.ts';
import type { IdentityContext } from '../context.ts';
import { AreAccounts } from '../granting/account-list.ts';
import { UserRole } from '../user.states.ts';
import { provisioningProblems, SamlRoleMapping } from './saml-connection.entity.ts';

const DOMAIN_REASON = 'must hold domains such as example.com';
const DOMAINS_MAX = 50;
const CERTIFICATES_MAX = 10;
const CERTIFICATE_LENGTH = 16_384;
const MAPPINGS_MAX = 200;
const URL_LENGTH = 2048;
const METADATA_LENGTH = 262_144;

const IsDomain = ValidateBy(
  { name: 'isDomain', validator: { validate: (value) => typeof value === 'string' && normalizedDomain(value) !== undefined } },
  { each: true, message: DOMAIN_REASON, ...jsonSchema({ format: 'hostname', maxLength: 253, pattern: '[.]' }) },
);

const Domains = (): PropertyDecorator => (target, property) => {
  ArrayMinSize(1, { message: 'must hold at least one domain' })(target, property);
  ArrayMaxSize(DOMAINS_MAX, { message: `may hold at most ${DOMAINS_MAX} domains` })(target, property);
  IsDomain(target, property);
};

const Certificates = (): PropertyDecorator => (target, property) => {
  ArrayMinSize(1, { message: 'must hold at least one certificate' })(target, property);
  ArrayMaxSize(CERTIFICATES_MAX, { message: `may hold at most ${CERTIFICATES_MAX} certificates` })(target, property);
  MaxLength(CERTIFICATE_LENGTH, {
    each: true,
    message: `may have at most ${CERTIFICATE_LENGTH} characters`,
    ...jsonSchema({ maxLength: CERTIFICATE_LENGTH, format: 'pem' }),
  })(target, property);
};

const Mappings = (): PropertyDecorator => (target, property) => {
  ArrayMaxSize(MAPPINGS_MAX, { message: `may hold at most ${MAPPINGS_MAX} mappings` })(target, property);
  ArrayUnique(({ group }: SamlRoleMapping) => group, { message: 'must name a group once' })(target, property);
  ValidateNested({ each: true })(target, property);
};

/** The identity provider: by its metadata, or member by member. */
@InputType()
@Rule<IdentityProviderInput, IdentityContext>((input, { samlConnections }) => samlConnections.problemsOf(input))
class IdentityProviderInput {
  @Field(() => String, { nullable: true, description: "The identity provider's entity id." })
  @IsOptional()
  @Characters(1, 1024)
  @Matches(/^\S+$/, { message: 'must not hold spaces' })
  idpEntityId?: string | null;

  @Field(() => String, { nullable: true, description: 'Where the identity provider takes requests (HTTP-Redirect): an https address.' })
  @IsOptional()
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  ssoUrl?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'What the identity provider signs with: X.509 certificates with RSA keys, as PEM.',
  })
  @IsOptional()
  @Certificates()
  certificates?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'In place of the three members above: where its metadata is read, now and whenever it is sent again.',
  })
  @IsOptional()
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  metadataUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'In place of them: its metadata itself.' })
  @IsOptional()
  @Characters(1, METADATA_LENGTH)
  metadataXml?: string | null;
}

@InputType()
@Rule<SamlConnectionCreateInput>(provisioningProblems)
export class SamlConnectionCreateInput extends IdentityProviderInput {
  @Field(() => String)
  @Name(200)
  name!: string;

  @Field(() => [String], {
    description: 'Users with addresses in these domains sign in by it, and no others. Each must be proven by a TXT record (`domains`).',
  })
  @Domains()
  emailDomains!: string[];

  @Field(() => UserRole, { nullable: true, description: 'Nobody gives a role that may do more than they may.' })
  defaultRole?: UserRole | null;

  @Field(() => [SamlRoleMapping], { nullable: true, description: 'The first that fits decides.' })
  @IsOptional()
  @Mappings()
  roleMappings?: SamlRoleMapping[] | null;

  @Field(() => [ID], { nullable: true, description: 'The accounts that the users are limited to whom it makes, 1 to 50; null: none.' })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Needs a role for those whom it makes.' })
  allowProvisioning: boolean = false;

  @Field(() => Boolean, { defaultValue: false })
  allowIdpInitiated: boolean = false;

  @Field(() => Boolean, { nullable: true, description: 'Default: as soon as the identity provider is known.' })
  active?: boolean | null;
}

@InputType({ description: 'What is left out stays as it is.' })
export class SamlConnectionUpdateInput extends IdentityProviderInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => [String], { nullable: true, description: 'Replaces the domains.' })
  @NotNull()
  @Domains()
  emailDomains?: string[];

  @Field(() => UserRole, { nullable: true, description: 'null refuses users whom no mapping gives a role.' })
  defaultRole?: UserRole | null;

  @Field(() => [SamlRoleMapping], { nullable: true, description: 'Replaces the mappings.' })
  @NotNull()
  @Mappings()
  roleMappings?: SamlRoleMapping[];

  @Field(() => [ID], { nullable: true, description: 'The accounts that the users are limited to whom it makes, 1 to 50; null: none.' })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => Boolean, { nullable: true })
  @NotNull()
  allowProvisioning?: boolean;

  @Field(() => Boolean, { nullable: true })
  @NotNull()
  allowIdpInitiated?: boolean;

  @Field(() => Boolean, { nullable: true })
  @NotNull()
  active?: boolean;
}
