import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, onDuplicate, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { normalizedDomain } from '../../../kernel/values/email.ts';
import type { AccountScopes } from '../accounts/account-scopes.ts';
import { type AuditTrail, byCaller } from '../audit/audit-trail.ts';
import { requireToGrant } from '../granting/grants.ts';
import { grantsOf } from '../granting/user-roles.ts';
import type { SamlAddresses } from '../saml/saml-addresses.ts';
import type { SamlDomains } from '../saml-domains/saml-domains.ts';
import type { GivenIdentityProvider, IdpMetadataSource } from './idp-metadata-source.ts';
import { provisioningProblems, SamlConnection } from './saml-connection.entity.ts';
import { ConnectionIncomplete, DomainTaken } from './saml-connection.errors.ts';
import type { SamlConnectionCreateInput, SamlConnectionUpdateInput } from './saml-connection.inputs.ts';

export interface SamlConnectionServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  metadata: IdpMetadataSource;
  addresses: SamlAddresses;
  trail: AuditTrail;
  domains: SamlDomains;
  scopes: AccountScopes;
}

/**
 * Returns true if a caller who makes these changes decides to trust the identity provider. This is the case if the
 * changes activate the connection, or set a field other than `name` and `active`.
 */
const isTrusting = ({ name: _, active, ...others }: Partial<SamlConnection>): boolean => active === true || Object.keys(others).length > 0;
const isMoreThanName = ({ name: _, ...others }: Partial<SamlConnection>): boolean => Object.keys(others).length > 0;

/** Manages SAML connections of the caller's organization (specification 5.6). */
export class SamlConnectionService {
  constructor(private readonly deps: SamlConnectionServiceDeps) {}

  get addresses(): SamlAddresses {
    return this.deps.addresses;
  }

  /** Checks an identity provider's configuration without fetching anything. */
  problemsOf(given: GivenIdentityProvider): FieldProblem[] {
    return this.deps.metadata.problemsOf(given);
  }

  find(id: string): Promise<SamlConnection | null> {
    return this.deps.em.findOne(SamlConnection, { id });
  }

  list(page: PageInput): Promise<Page<SamlConnection>> {
    return listPage(this.deps.em, SamlConnection, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Creates a connection. It becomes active if it is complete, unless `active` states otherwise.
   * @throws InvalidParameters, DomainTaken, ConnectionIncomplete; InsufficientPermissions for a role with permissions
   * that the caller does not have
   */
  async create({ active, ...input }: SamlConnectionCreateInput): Promise<SamlConnection> {
    const { clock, request } = this.deps;
    const now = clock.now();
    const known = { id: newId('samlConnection'), organizationId: request.principal.organizationId, createdAt: now };
    const connection = Object.assign(new SamlConnection(), known);
    const changes = await this.#changes({ ...input, roleMappings: input.roleMappings ?? [] });
    await this.#save((tx) => {
      this.#apply(connection, changes);
      Object.assign(connection, { active: active ?? connection.isComplete, updatedAt: now });
      tx.persist(connection);
      return Promise.resolve(connection);
    }, 'saml_connection_created');
    return connection;
  }

  /**
   * Updates a connection.
   * @throws ResourceNotFound, InsufficientPermissions as for `delete`, and all errors that `create` throws
   */
  async update(id: string, input: SamlConnectionUpdateInput): Promise<SamlConnection> {
    const changes = await this.#changes(input);
    return this.#save(async (tx) => {
      const connection = await locked(tx, id);
      if (isMoreThanName(changes)) this.#requireToManage(connection);
      this.#apply(connection, changes);
      return connection;
    }, 'saml_connection_updated');
  }

  /**
   * Deletes a connection and returns its last state.
   * @throws ResourceNotFound; InsufficientPermissions if users of the connection can have permissions that the caller
   * does not have
   */
  async delete(id: string): Promise<SamlConnection> {
    return this.deps.em.transactional(async (tx) => {
      const connection = await locked(tx, id);
      this.#requireToManage(connection);
      await this.#audit(tx, connection, 'saml_connection_deleted');
      await tx.nativeDelete(SamlConnection, { id });
      return connection;
    });
  }

  /** Checks the domains in DNS immediately, even if their next check is not due. @throws ResourceNotFound */
  async verifyDomains(id: string): Promise<SamlConnection> {
    const connection = orNotFound(await this.find(id), 'saml_connection', id);
    await this.deps.domains.verify(id);
    return connection;
  }

  /**
   * Checks that the caller has all permissions in `grants`, which were stored when the connection was last activated or
   * its settings were last changed. Otherwise, the caller could lock out users who have more permissions.
   * @throws InsufficientPermissions
   */
  #requireToManage({ grants }: SamlConnection): void {
    requireToGrant(this.deps.request.principal, grants);
  }

  /**
   * Returns the changes to apply. If the input has metadata or a metadata URL, the changes contain the settings from the
   * metadata. Call it before any transaction, since it may fetch the metadata.
   */
  async #changes({ metadataXml, ...input }: SamlConnectionUpdateInput): Promise<Partial<SamlConnection>> {
    for (const role of [input.defaultRole, ...(input.roleMappings ?? []).map((mapping) => mapping.role)])
      if (role) requireToGrant(this.deps.request.principal, grantsOf(role));
    const provider = await this.deps.metadata.resolve({ ...input, metadataXml });
    if (input.accounts) input.accounts = await this.deps.scopes.grant(input.accounts);
    const changes = definedOnly({ ...input, ...provider }) as Partial<SamlConnection>;
    // the new settings replace the earlier metadata URL, which is no longer read
    if (Object.keys(provider).length > 0) changes.metadataUrl ??= null;
    if (changes.certificates === null) changes.certificates = [];
    if (changes.emailDomains) changes.emailDomains = [...new Set(changes.emailDomains.flatMap((domain) => normalizedDomain(domain) ?? []))];
    if (changes.roleMappings) changes.roleMappings = changes.roleMappings.map(({ group, role }) => ({ group, role }));
    return changes;
  }

  #apply(connection: SamlConnection, changes: Partial<SamlConnection>): void {
    const { clock, request } = this.deps;
    Object.assign(connection, changes, { updatedAt: clock.now() });
    // the connection is limited to the permissions of this caller, who decides to trust the identity provider
    if (isTrusting(changes)) connection.grants = [...request.principal.grants];
    refuse(provisioningProblems(connection));
  }

  async #save(act: (tx: EntityManager) => Promise<SamlConnection>, eventType: string): Promise<SamlConnection> {
    const saving = this.deps.em.transactional(async (tx) => {
      const connection = await act(tx);
      if (connection.active && !connection.isComplete) throw new ConnectionIncomplete();
      await tx.flush();
      await this.deps.domains.claim(tx, connection);
      await this.#audit(tx, connection, eventType);
      return connection;
    });
    const saved = await saving.catch(onDuplicate(() => new DomainTaken()));
    await this.deps.domains.settleOnTrust(saved.id);
    return saved;
  }

  #audit(tx: EntityManager, { id }: SamlConnection, eventType: string): Promise<void> {
    const { trail, request } = this.deps;
    return trail.recordBy(request, { eventType, reason: `connection ${id}; ${byCaller(request.principal)}` }, tx);
  }
}

async function locked(tx: EntityManager, id: string): Promise<SamlConnection> {
  return orNotFound(await tx.findOne(SamlConnection, { id }, LOCKED), 'saml_connection', id);
}
