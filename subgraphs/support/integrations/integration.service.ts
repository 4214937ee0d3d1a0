import type { EntityClass } from '@mikro-orm/core';
import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Resource } from '../../../kernel/errors/resource.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, onDuplicate, orNotFound } from '../../../kernel/records/records.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { Integration } from './integration.entity.ts';
import { IntegrationExists } from './integration.errors.ts';
import type { Outcome } from './integration.provider.ts';
import { IntegrationDelivery } from './integration-delivery.entity.ts';
import type { IntegrationDeliveryFilter } from './integration-delivery.inputs.ts';
import type { IntegrationQueue } from './integration-queue.ts';
import { type IntegrationTest, testResultOf } from './integration-test-result.ts';

export interface IntegrationServiceDeps<I extends Integration> {
  em: EntityManager;
  principal: Principal;
  clock: Clock;
  guard: UrlGuard;
  queue: Pick<IntegrationQueue<I>, 'wake'>;
  provider: { test(integration: I): Promise<Outcome> };
}

/** Implements the operations that are the same for all kinds of integrations. */
export abstract class IntegrationService<I extends Integration> {
  protected constructor(
    protected readonly deps: IntegrationServiceDeps<I>,
    private readonly entity: EntityClass<I>,
    private readonly resource: Resource,
    /**
     * Words for the remote target, such as `this webhook and channel`, and the name of an input field. The error for a
     * second integration with the same target contains both.
     */
    private readonly target: readonly [words: string, field: string],
  ) {}

  find(id: string): Promise<I | null> {
    return this.deps.em.findOne(this.entity, { id } as never) as Promise<I | null>;
  }

  list(page: PageInput): Promise<Page<I>> {
    return listPage(this.deps.em, this.entity, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Lists the deliveries of an integration, newest first.
   * @throws ResourceNotFound
   */
  async deliveries(integrationId: string, filter: IntegrationDeliveryFilter, page: PageInput): Promise<Page<IntegrationDelivery>> {
    orNotFound(await this.find(integrationId), this.resource, integrationId);
    const { status, event, createdAfter, createdBefore } = filter;
    const where = matching<IntegrationDelivery>({ integrationId, status, event, createdAt: between(createdAfter, createdBefore) });
    return listPage(this.deps.em, IntegrationDelivery, { where, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Deletes an integration and its pending deliveries. Returns the deleted integration.
   * @throws ResourceNotFound
   */
  async delete(id: string): Promise<I> {
    return this.deps.em.transactional(async (tx) => {
      const integration = await this.#locked(tx, id);
      await this.beforeDelete(tx, id);
      await tx.nativeDelete(IntegrationDelivery, { integrationId: id });
      await tx.nativeDelete(this.entity, { id } as never);
      return integration;
    });
  }

  /**
   * Sends a test request, even if the integration is inactive, and stores the result. A failed test sets only
   * `lastError`, so it never disables the integration. A successful test of an active integration also retries its
   * pending deliveries.
   * @throws ResourceNotFound
   */
  async test(id: string): Promise<IntegrationTest> {
    const { em, clock, provider } = this.deps;
    const integration = orNotFound(await em.fork().findOne(this.entity, { id } as never), this.resource, id);
    const outcome = await provider.test(integration as I);
    const result = testResultOf(outcome, clock.now());
    await em.transactional(async (tx) => {
      const found = await this.#locked(tx, id);
      if (result.succeeded) found.succeeded(result.testedAt);
      else found.lastError = result.error;
      if (result.succeeded && found.active) await this.deps.queue.wake(tx, found);
    });
    return result;
  }

  /**
   * Called before an integration is deleted. Subclasses override this method to delete their records of the
   * integration.
   */
  protected async beforeDelete(_tx: EntityManager, _id: string): Promise<void> {}

  protected async insert(integration: I, fill: (integration: I) => void): Promise<I> {
    const now = this.deps.clock.now();
    const { organizationId } = this.deps.principal;
    Object.assign(integration, { id: newId('integration'), organizationId, createdAt: now, updatedAt: now });
    fill(integration);
    return this.#unique(async (tx) => {
      tx.persist(integration);
      return integration;
    });
  }

  /**
   * Changes an integration and retries its pending deliveries immediately, because the change may have removed the
   * cause of their failures.
   * @throws ResourceNotFound, IntegrationExists
   */
  protected async change(id: string, change: (integration: I) => void): Promise<I> {
    return this.#unique(async (tx) => {
      const integration = await this.#locked(tx, id);
      change(integration);
      integration.updatedAt = this.deps.clock.now();
      if (integration.active) await this.deps.queue.wake(tx, integration);
      return integration;
    });
  }

  /**
   * Checks that the platform may send requests to a URL.
   * @throws InvalidParameters; the error does not contain the URL, which may be a secret
   */
  protected async checkUrl(field: string, url: string): Promise<void> {
    const reason = await this.deps.guard.problemWith(url);
    if (reason) throw new InvalidParameters([{ field, reason }]);
  }

  async #unique(act: (tx: EntityManager) => Promise<I>): Promise<I> {
    return this.deps.em.transactional(act).catch(onDuplicate(() => new IntegrationExists(...this.target)));
  }

  async #locked(tx: EntityManager, id: string): Promise<I> {
    const integration = orNotFound(await tx.findOne(this.entity, { id } as never, LOCKED), this.resource, id);
    return integration as I;
  }
}
