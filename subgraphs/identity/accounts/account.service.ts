import type { FilterQuery } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { readRecords } from '../../../kernel/records/read-records.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { between, containing, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { OrganizationStatus } from '../organizations/organization.states.ts';
import { Account } from './account.entity.ts';
import { AccountOfOrganization, OwnAccount } from './account.errors.ts';
import type { AccountCreateInput, AccountFilter, AccountUpdateInput } from './account.inputs.ts';
import { AccountStatus } from './account.states.ts';
import { refuseWhileInUse } from './account-obligations.ts';

export interface AccountServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  loader: RecordLoader<Account>;
}

/** Manages the accounts of the caller's organization (specification 4.2). */
export class AccountService {
  constructor(private readonly deps: AccountServiceDeps) {}

  /** Creates an account with a generated customer number. */
  async create({ timezone, metadata, ...input }: AccountCreateInput): Promise<Account> {
    const now = this.deps.clock.now();
    const account = Object.assign(new Account(), input, {
      id: newId('account'),
      organizationId: this.deps.request.principal.organizationId,
      customerId: newId('customer'),
      timezone: timezone ?? 'UTC',
      metadata: metadata ?? {},
      createdAt: now,
      updatedAt: now,
    });
    await this.deps.em.transactional(async (tx) => void tx.persist(account));
    return account;
  }

  /**
   * Returns null if the caller's organization has no account with this id. An account of another organization is
   * treated as absent.
   */
  find(id: string): Promise<Account | null> {
    return this.deps.loader.load(id);
  }

  /**
   * Returns the default account for a new record whose request names no account. It is the organization's own account or, if the caller is
   * limited to one account, this account. Returns null if the caller is limited to several accounts or to no account.
   */
  async findDefault(): Promise<Account | null> {
    const { accounts, organizationId } = this.deps.request.principal;
    if (accounts === null)
      return (await readRecords(this.deps.em, Account, 'where r."organization_id" = ? and r."own"', [organizationId]))[0] ?? null;
    const [only, another] = accounts;
    return only !== undefined && another === undefined ? this.find(only) : null;
  }

  list(filter: AccountFilter, sort: SortBy[], page: PageInput): Promise<Page<Account>> {
    return listPage(this.deps.em, Account, { where: whereOf(filter), sort, page, defaultSort: NEWEST_FIRST });
  }

  /** Updates an account. @throws ResourceNotFound, InvalidState, AccountInUse, OwnAccount, AccountOfOrganization */
  async update(id: string, { status, ...input }: AccountUpdateInput): Promise<Account> {
    if (status === AccountStatus.CLOSED) await this.#refuseWhileInUse(id);
    return this.deps.em.transactional(async (tx) => {
      const account = await this.#locked(tx, id);
      if (status && status !== account.status && account.own) throw new OwnAccount(id);
      if (status === AccountStatus.CLOSED) await this.#requireClosedOrganization(tx, account);
      if (status) account.moveTo(status);
      Object.assign(account, definedOnly(input));
      account.updatedAt = this.deps.clock.now();
      return account;
    });
  }

  /** Deletes an account and returns its last state. @throws ResourceNotFound, AccountInUse, OwnAccount, AccountOfOrganization */
  async delete(id: string): Promise<Account> {
    await this.#refuseWhileInUse(id);
    return this.deps.em.transactional(async (tx) => {
      const account = await this.#locked(tx, id);
      if (account.own) throw new OwnAccount(id);
      await this.#requireClosedOrganization(tx, account);
      await tx.nativeDelete(Account, { id });
      return account;
    });
  }

  /** Checks that the account is not invoiced for an organization that is open. */
  async #requireClosedOrganization(tx: EntityManager, { id, billedOrganizationId }: Account): Promise<void> {
    if (billedOrganizationId === null) return;
    const isOpen = await tx.count(Organization, { id: billedOrganizationId, status: { $ne: OrganizationStatus.CLOSED } });
    if (isOpen > 0) throw new AccountOfOrganization(id, billedOrganizationId);
  }

  async #locked(tx: EntityManager, id: string): Promise<Account> {
    return orNotFound(await tx.findOne(Account, { id }, LOCKED), 'account', id);
  }

  /**
   * Checks that the account exists and is not in use. Call it before the transaction, because it queries other
   * subgraphs.
   */
  async #refuseWhileInUse(id: string): Promise<void> {
    orNotFound(await this.find(id), 'account', id);
    await refuseWhileInUse(id, this.deps.graph, this.deps.request);
  }
}

const whereOf = ({ id, status, customerId, own, search, createdAfter, createdBefore }: AccountFilter): FilterQuery<Account> =>
  matching<Account>({
    id,
    status,
    customerId,
    // the organization's own account is listed only if the filter asks for it
    own: own === undefined && !customerId && !id ? false : own,
    createdAt: between(createdAfter, createdBefore),
    $or: search ? [{ name: containing(search) }, { email: containing(search) }] : undefined,
  });
