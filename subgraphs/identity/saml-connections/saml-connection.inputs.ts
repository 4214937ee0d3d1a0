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

const DOMAIN_REASON = 'must be a list of domains such as example.com';
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
  ArrayMinSize(1, { message: 'must have at least one domain' })(target, property);
  ArrayMaxSize(DOMAINS_MAX, { message: `must have at most ${DOMAINS_MAX} domains` })(target, property);
  IsDomain(target, property);
};

const Certificates = (): PropertyDecorator => (target, property) => {
  ArrayMinSize(1, { message: 'must have at least one certificate' })(target, property);
  ArrayMaxSize(CERTIFICATES_MAX, { message: `must have at most ${CERTIFICATES_MAX} certificates` })(target, property);
  MaxLength(CERTIFICATE_LENGTH, {
    each: true,
    message: `must have at most ${CERTIFICATE_LENGTH} characters`,
    ...jsonSchema({ maxLength: CERTIFICATE_LENGTH, format: 'pem' }),
  })(target, property);
};

const Mappings = (): PropertyDecorator => (target, property) => {
  ArrayMaxSize(MAPPINGS_MAX, { message: `must have at most ${MAPPINGS_MAX} mappings` })(target, property);
  ArrayUnique(({ group }: SamlRoleMapping) => group, { message: 'must not repeat a group' })(target, property);
  ValidateNested({ each: true })(target, property);
};

/** Describes the identity provider: by its metadata or by its separate settings. */
@InputType()
@Rule<IdentityProviderInput, IdentityContext>((input, { samlConnections }) => samlConnections.problemsOf(input))
class IdentityProviderInput {
  @Field(() => String, { nullable: true, description: 'Entity id of the identity provider, 1 to 1024 characters. Null means none.' })
  @IsOptional()
  @Characters(1, 1024)
  @Matches(/^\S+$/, { message: 'must not contain spaces' })
  idpEntityId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'https address of the identity provider for requests (HTTP-Redirect binding). Null means none.',
  })
  @IsOptional()
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  ssoUrl?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `Certificates of the keys with which the identity provider signs: 1 to ${CERTIFICATES_MAX} X.509 certificates with RSA keys, as PEM. Null means none.`,
  })
  @IsOptional()
  @Certificates()
  certificates?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'https address of the metadata of the identity provider. Send it instead of `idpEntityId`, `ssoUrl` and `certificates`. The platform reads the metadata only when you send this field. Null means none.',
  })
  @IsOptional()
  @Characters(1, URL_LENGTH)
  @Allow(jsonSchema({ format: 'uri' }))
  metadataUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Metadata of the identity provider as XML. Send it instead of `metadataUrl`, `idpEntityId`, `ssoUrl` and `certificates`. Null means none.',
  })
  @IsOptional()
  @Characters(1, METADATA_LENGTH)
  metadataXml?: string | null;
}

@InputType({ description: 'SAML connection to create.' })
@Rule<SamlConnectionCreateInput>(provisioningProblems)
export class SamlConnectionCreateInput extends IdentityProviderInput {
  @Field(() => String, { description: 'Name shown in lists, 1 to 200 characters.' })
  @Name(200)
  name!: string;

  @Field(() => [String], {
    description: `E-mail domains of the users who sign in through this connection, 1 to ${DOMAINS_MAX}. Each must be proven by a TXT record; see \`domains\`.`,
  })
  @Domains()
  emailDomains!: string[];

  @Field(() => UserRole, {
    nullable: true,
    description:
      'Role of users for whom no mapping matches. It cannot have more permissions than the caller. If it is null, these users cannot sign in.',
  })
  defaultRole?: UserRole | null;

  @Field(() => [SamlRoleMapping], {
    nullable: true,
    description: `Roles that the users of groups get, at most ${MAPPINGS_MAX} mappings. The first mapping that matches applies.`,
  })
  @IsOptional()
  @Mappings()
  roleMappings?: SamlRoleMapping[] | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'If this connection creates a user, the user is limited to these accounts, 1 to 50 (`acc_…`). Null means no limit.',
  })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether unknown users are created at their first sign-in. Requires a default role or role mappings.',
  })
  allowProvisioning: boolean = false;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether sign-ins can start at the identity provider.' })
  allowIdpInitiated: boolean = false;

  @Field(() => Boolean, {
    nullable: true,
    description: 'False rejects all sign-ins through this connection. Default: true as soon as the identity provider is configured.',
  })
  active?: boolean | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class SamlConnectionUpdateInput extends IdentityProviderInput {
  @Field(() => String, { nullable: true, description: 'Name shown in lists, 1 to 200 characters.' })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => [String], {
    nullable: true,
    description: `E-mail domains of the users who sign in through this connection, 1 to ${DOMAINS_MAX}. Replaces the whole list.`,
  })
  @NotNull()
  @Domains()
  emailDomains?: string[];

  @Field(() => UserRole, {
    nullable: true,
    description:
      'Role of users for whom no mapping matches. It cannot have more permissions than the caller. If it is null, these users cannot sign in.',
  })
  defaultRole?: UserRole | null;

  @Field(() => [SamlRoleMapping], {
    nullable: true,
    description: `Roles that the users of groups get, at most ${MAPPINGS_MAX} mappings. Replaces the whole list.`,
  })
  @NotNull()
  @Mappings()
  roleMappings?: SamlRoleMapping[];

  @Field(() => [ID], {
    nullable: true,
    description: 'If this connection creates a user, the user is limited to these accounts, 1 to 50 (`acc_…`). Null means no limit.',
  })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether unknown users are created at their first sign-in. Requires a default role or role mappings.',
  })
  @NotNull()
  allowProvisioning?: boolean;

  @Field(() => Boolean, { nullable: true, description: 'Whether sign-ins can start at the identity provider.' })
  @NotNull()
  allowIdpInitiated?: boolean;

  @Field(() => Boolean, { nullable: true, description: 'False rejects all sign-ins through this connection.' })
  @NotNull()
  active?: boolean;
}
