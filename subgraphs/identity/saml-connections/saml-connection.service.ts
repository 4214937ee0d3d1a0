import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database.ts';
import { InsufficientPermissions, InvalidParameters } from '../../../kernel/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pagination.ts';
import { existing, given, LOCKED, onDuplicate } from '../../../kernel/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { type AuditTrail, byCaller } from '../audit/audit.trail.ts';
import type { SamlAddresses } from '../saml/saml.addresses.ts';
import { grantsOf } from '../users/user.roles.ts';
import type { IdpMetadataSource } from './idp.metadata.source.ts';
import { SamlConnection } from './saml-connection.entity.ts';
import { ConnectionIncomplete, DomainTaken } from './saml-connection.errors.ts';
import type { SamlConnectionCreateInput, SamlConnectionUpdateInput } from './saml-connection.inputs.ts';
import { SamlDomain } from './saml-domain.entity.ts';

export interface SamlConnectionServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  metadata: IdpMetadataSource;
  addresses: SamlAddresses;
  trail: AuditTrail;
}

/** Whether it changes whom the connection trusts, or with what. */
const isTrusting = ({ name: _, active, ...others }: Partial<SamlConnection>): boolean => active === true || Object.keys(others).length > 0;

/** The identity providers of the caller's organization (specification 5.6). */
export class SamlConnectionService {
  constructor(private readonly deps: SamlConnectionServiceDeps) {}

  get addresses(): SamlAddresses {
    return this.deps.addresses;
  }

  find(id: string): Promise<SamlConnection | null> {
    return this.deps.em.findOne(SamlConnection, { id });
  }

  list(page: PageInput): Promise<Page<SamlConnection>> {
    return listPage(this.deps.em, SamlConnection, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /** @throws InvalidParameters, InsufficientPermissions for a role beyond the caller's, DomainTaken, ConnectionIncomplete */
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

  /** @throws ResourceNotFound, and as `create` */
  async update(id: string, input: SamlConnectionUpdateInput): Promise<SamlConnection> {
    const changes = await this.#changes(input);
    return this.#save(async (tx) => {
      const connection = await locked(tx, id);
      this.#apply(connection, changes);
      return connection;
    }, 'saml_connection_updated');
  }

  /** In its last state. @throws ResourceNotFound */
  async delete(id: string): Promise<SamlConnection> {
    return this.deps.em.transactional(async (tx) => {
      const connection = await locked(tx, id);
      await this.#audit(tx, connection, 'saml_connection_deleted');
      await tx.nativeDelete(SamlConnection, { id });
      return connection;
    });
  }

  /** What was given, with what the metadata says; asks others, and so before any transaction. */
  async #changes({ metadataXml, ...input }: SamlConnectionUpdateInput): Promise<Partial<SamlConnection>> {
    for (const role of [input.defaultRole, ...(input.roleMappings ?? []).map((mapping) => mapping.role)]) {
      const beyond = role && grantsOf(role).find((grant) => !this.deps.request.principal.mayGrant(grant));
      if (beyond) throw new InsufficientPermissions(beyond);
    }
    const provider = await this.deps.metadata.resolve({ ...input, metadataXml });
    const changes = given({ ...input, ...provider }) as Partial<SamlConnection>;
    // what is known now was not read there
    if (Object.keys(provider).length > 0) changes.metadataUrl ??= null;
    if (changes.certificates === null) changes.certificates = [];
    if (changes.emailDomains) changes.emailDomains = [...new Set(changes.emailDomains.map((domain) => domain.toLowerCase()))];
    if (changes.roleMappings) changes.roleMappings = changes.roleMappings.map(({ group, role }) => ({ group, role }));
    return changes;
  }

  #apply(connection: SamlConnection, changes: Partial<SamlConnection>): void {
    const { clock, request } = this.deps;
    Object.assign(connection, changes, { updatedAt: clock.now() });
    // whoever says whom to trust vouches for it, with what they may do themselves
    if (isTrusting(changes)) connection.grants = [...request.principal.grants];
    if (connection.allowProvisioning && !connection.defaultRole && connection.roleMappings.length === 0)
      throw new InvalidParameters([
        { field: 'allowProvisioning', value: true, reason: 'needs a default_role or role_mappings for the users that it makes' },
      ]);
  }

  async #save(act: (tx: EntityManager) => Promise<SamlConnection>, eventType: string): Promise<SamlConnection> {
    const saving = this.deps.em.transactional(async (tx) => {
      const connection = await act(tx);
      if (connection.active && !connection.isComplete) throw new ConnectionIncomplete();
      await tx.flush();
      await tx.nativeDelete(SamlDomain, { connectionId: connection.id });
      await tx.insertMany(
        SamlDomain,
        connection.emailDomains.map((domain) => ({ domain, connectionId: connection.id })),
      );
      await this.#audit(tx, connection, eventType);
      return connection;
    });
    return saving.catch(onDuplicate(() => new DomainTaken()));
  }

  #audit(tx: EntityManager, { id }: SamlConnection, eventType: string): Promise<void> {
    const { trail, request } = this.deps;
    return trail.recordBy(request, { eventType, reason: `connection ${id}; ${byCaller(request.principal)}` }, tx);
  }
}

async function locked(tx: EntityManager, id: string): Promise<SamlConnection> {
  return existing(await tx.findOne(SamlConnection, { id }, LOCKED), 'saml_connection', id);
}
