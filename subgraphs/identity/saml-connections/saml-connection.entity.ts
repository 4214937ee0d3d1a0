import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { IsEnum } from 'class-validator';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { UserRole } from '../user.states.ts';

const GROUP_LENGTH = 256;

/** Maps a group of the identity provider to a role of the platform. */
@ObjectType('SamlRoleMapping', { description: 'Role of the users of one group.' })
@InputType('SamlRoleMappingInput', { description: 'Role of the users of one group.' })
export class SamlRoleMapping {
  @Field(() => String, { description: 'Value of the attribute `groups`, compared exactly.' })
  @Characters(1, GROUP_LENGTH)
  group!: string;

  @Field(() => UserRole, { description: 'Role that users of the group get.' })
  @IsEnum(UserRole)
  role!: UserRole;
}

interface Provisioning {
  accounts?: readonly unknown[] | null;
  defaultRole?: UserRole | null;
  roleMappings?: readonly (Partial<SamlRoleMapping> | null)[] | null;
  allowProvisioning?: boolean;
}

/**
 * Checks the roles that users created by the connection would get. Returns a problem if no role is set, or if a role requires accounts but
 * no accounts are set.
 */
export function provisioningProblems({ accounts, defaultRole, roleMappings, allowProvisioning }: Provisioning): FieldProblem[] {
  const roles = [defaultRole, ...(roleMappings ?? []).map((mapping) => mapping?.role)];
  const problems: FieldProblem[] = [];
  if (!accounts && roles.includes(UserRole.ACCOUNT_ADMIN))
    problems.push({ field: 'accounts', reason: 'is required, since the role account_admin is limited to accounts' });
  if (allowProvisioning && !defaultRole && !roleMappings?.length)
    problems.push({ field: 'allowProvisioning', value: true, reason: 'requires default_role or role_mappings, to give new users a role' });
  return problems;
}

/** An identity provider with which users of one organization sign in (specification 5.6). */
@ObjectType({ description: 'An identity provider through which users of your organization sign in by SAML 2.0.' })
@Entity({ tableName: 'saml_connection' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class SamlConnection {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name shown in lists, 1 to 200 characters.' })
  @Property({ type: 'text' })
  name!: string;

  /** The domains that the connection claims. SamlDomainClaim stores whether a domain is proven by DNS. */
  @Field(() => [String], {
    description: 'E-mail domains of the users who sign in through this connection. Each takes effect once it is proven; see `domains`.',
  })
  @Property({ type: 'json' })
  emailDomains: string[] = [];

  @Field(() => String, { nullable: true, description: 'Entity id of the identity provider. Null if it is not configured yet.' })
  @Property({ type: 'text', nullable: true })
  idpEntityId: string | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Address of the identity provider for requests (HTTP-Redirect binding). Null if it is not configured yet.',
  })
  @Property({ type: 'text', nullable: true })
  ssoUrl: string | null = null;

  @Field(() => [String], {
    description:
      'Certificates of the keys with which the identity provider signs, as PEM. There can be several certificates while a certificate is being replaced.',
  })
  @Property({ type: 'json' })
  certificates: string[] = [];

  @Field(() => String, {
    nullable: true,
    description: 'Address from which the metadata of the identity provider was read. Null if the metadata was not read from an address.',
  })
  @Property({ type: 'text', nullable: true })
  metadataUrl: string | null = null;

  @Field(() => UserRole, {
    nullable: true,
    description: 'Role of users for whom no role mapping matches. If it is null, these users cannot sign in.',
  })
  @Enum({ items: () => UserRole, type: 'text', nullable: true })
  defaultRole: UserRole | null = null;

  @Field(() => [SamlRoleMapping], {
    description:
      'Roles that the users of groups get. At every sign-in, the first mapping that matches applies. If the list is empty, roles are managed on the platform.',
  })
  @Property({ type: 'json' })
  roleMappings: SamlRoleMapping[] = [];

  @Field(() => [ID], {
    nullable: true,
    description: 'If this connection creates a user, the user is limited to these accounts (`acc_…`). Null means no limit.',
  })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => Boolean, { description: 'Whether unknown users are created at their first sign-in.' })
  @Property({ type: 'boolean' })
  allowProvisioning = false;

  @Field(() => Boolean, { description: 'Whether sign-ins can start at the identity provider.' })
  @Property({ type: 'boolean' })
  allowIdpInitiated = false;

  @Field(() => Boolean, { description: 'False if nobody can sign in through this connection.' })
  @Property({ type: 'boolean' })
  active = true;

  /**
   * Permissions of the caller who last created, activated or changed the connection. Renaming or deactivating it does not
   * count as a change. Users with more permissions cannot sign in through the connection.
   */
  @Property({ type: 'json' })
  grants: Grant[] = [];

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Returns whether the connection has all settings that a sign-in needs. */
  get isComplete(): boolean {
    return this.idpEntityId !== null && this.ssoUrl !== null && this.certificates.length > 0 && this.emailDomains.length > 0;
  }

  /**
   * Returns the role for a user in `groups`. Returns null if the user gets no role. Returns undefined if the connection
   * does not manage roles.
   */
  roleOf(groups: readonly string[]): UserRole | null | undefined {
    if (this.roleMappings.length === 0) return undefined;
    return this.roleMappings.find(({ group }) => groups.includes(group))?.role ?? this.defaultRole;
  }
}
