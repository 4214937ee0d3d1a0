import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { IsEnum } from 'class-validator';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { UserRole } from '../user.states.ts';

const GROUP_LENGTH = 256;

/** Who is in a group of the identity provider gets a role here. */
@ObjectType('SamlRoleMapping')
@InputType('SamlRoleMappingInput')
export class SamlRoleMapping {
  @Field(() => String, { description: 'A value of the attribute `groups`, compared exactly.' })
  @Characters(1, GROUP_LENGTH)
  group!: string;

  @Field(() => UserRole)
  @IsEnum(UserRole)
  role!: UserRole;
}

interface Provisioning {
  accounts?: readonly unknown[] | null;
  defaultRole?: UserRole | null;
  roleMappings?: readonly (Partial<SamlRoleMapping> | null)[] | null;
  allowProvisioning?: boolean;
}

/** What is missing for the users that a connection makes. */
export function provisioningProblems({ accounts, defaultRole, roleMappings, allowProvisioning }: Provisioning): FieldProblem[] {
  const roles = [defaultRole, ...(roleMappings ?? []).map((mapping) => mapping?.role)];
  const problems: FieldProblem[] = [];
  if (!accounts && roles.includes(UserRole.ACCOUNT_ADMIN))
    problems.push({ field: 'accounts', reason: 'is needed: account_admin is a role of accounts' });
  if (allowProvisioning && !defaultRole && !roleMappings?.length)
    problems.push({ field: 'allowProvisioning', value: true, reason: 'needs a default_role or role_mappings for the users that it makes' });
  return problems;
}

/** An identity provider that signs in users of one organization (specification 5.6). */
@ObjectType({ description: 'An identity provider that signs in users of the organization, by SAML 2.0.' })
@Entity({ tableName: 'saml_connection' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class SamlConnection {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  name!: string;

  /** What it claims; what DNS says of each is a SamlDomainClaim. */
  @Field(() => [String], {
    description: 'Users with addresses in these domains sign in by it, and no others, once `domains` says that they are proven.',
  })
  @Property({ type: 'json' })
  emailDomains: string[] = [];

  @Field(() => String, { nullable: true, description: 'The entity id of the identity provider.' })
  @Property({ type: 'text', nullable: true })
  idpEntityId: string | null = null;

  @Field(() => String, { nullable: true, description: 'Where the identity provider takes requests (HTTP-Redirect).' })
  @Property({ type: 'text', nullable: true })
  ssoUrl: string | null = null;

  @Field(() => [String], { description: 'What the identity provider signs with, as PEM. Several while it changes them.' })
  @Property({ type: 'json' })
  certificates: string[] = [];

  @Field(() => String, { nullable: true, description: 'Where the metadata of the identity provider was read.' })
  @Property({ type: 'text', nullable: true })
  metadataUrl: string | null = null;

  @Field(() => UserRole, { nullable: true, description: 'Of users whom no mapping gives one; null refuses them.' })
  @Enum({ items: () => UserRole, type: 'text', nullable: true })
  defaultRole: UserRole | null = null;

  @Field(() => [SamlRoleMapping], {
    description: 'The first that fits decides, at every sign-in. Without any, roles stay as they are here.',
  })
  @Property({ type: 'json' })
  roleMappings: SamlRoleMapping[] = [];

  @Field(() => [ID], { nullable: true, description: 'The accounts that the users are limited to whom it makes; null: they are not.' })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => Boolean, { description: 'Whether a user who is not here yet is made at the first sign-in.' })
  @Property({ type: 'boolean' })
  allowProvisioning = false;

  @Field(() => Boolean, { description: 'Whether the identity provider may begin a sign-in by itself.' })
  @Property({ type: 'boolean' })
  allowIdpInitiated = false;

  @Field(() => Boolean, { description: 'While false nobody signs in by it.' })
  @Property({ type: 'boolean' })
  active = true;

  /** What those who registered it, or last changed whom it trusts, held: it signs in nobody who may do more. */
  @Property({ type: 'json' })
  grants: Grant[] = [];

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Whether everything is known that a sign-in needs. */
  get isComplete(): boolean {
    return this.idpEntityId !== null && this.ssoUrl !== null && this.certificates.length > 0 && this.emailDomains.length > 0;
  }

  /** The role that groups give; undefined where roles are not the identity provider's business. */
  roleOf(groups: readonly string[]): UserRole | null | undefined {
    if (this.roleMappings.length === 0) return undefined;
    return this.roleMappings.find(({ group }) => groups.includes(group))?.role ?? this.defaultRole;
  }
}
