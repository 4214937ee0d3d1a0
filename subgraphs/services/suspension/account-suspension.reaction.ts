import { z } from 'zod';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { enqueueChanges } from '../changes/converge-queue.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { lockService } from '../inventory/service-lock.ts';
import { isAccountSuspended, suspendWithAccount, transition } from '../status/service-transition.ts';

/** The fields of the event `account.dunning_changed` that this domain uses. The event may have more fields. */
const dunningChanged = z.object({
  data: z.object({
    billing_account: z.object({ account_id: z.string(), dunning: z.object({ state: z.string(), revision: z.int() }) }),
  }),
});

const BATCH = 500;

type SuspensionPorts = Pick<Ports, 'orm' | 'clock' | 'jobs'>;

/**
 * Returns the reaction to the event `account.dunning_changed`. It suspends the services of an account that does not pay, and resumes the
 * services when the account has paid. Events may arrive late, twice and in any order. The revision in the event shows which event is the
 * newest, and each service gets the state that the newest event requires. A repeated reaction continues where it stopped.
 */
export const accountSuspension = (ports: SuspensionPorts): Reaction => ({
  name: 'services.account-suspension',
  on: 'account.dunning_changed',
  async handle({ organizationId, payload }) {
    const { account_id: accountId, dunning } = dunningChanged.parse(JSON.parse(payload)).data.billing_account;
    const em = organizationEm(ports.orm, organizationId);
    await em.transactional((tx) =>
      store(tx, { organizationId, accountId, suspended: dunning.state === 'suspended', revision: dunning.revision }),
    );
    for (let after = ''; ; ) {
      const found = await em
        .fork()
        .find(Service, { accountId, id: { $gt: after } }, { fields: ['id'], orderBy: { id: 'asc' }, limit: BATCH });
      for (const { id } of found) await em.fork().transactional((tx) => follow(tx, ports, id));
      if (found.length < BATCH) return;
      after = found.at(-1)?.id ?? after;
    }
  },
});

interface Suspension {
  organizationId: string;
  accountId: string;
  suspended: boolean;
  revision: number;
}

/** Stores the dunning state of an account, unless a newer event has already stored a state. */
async function store(tx: EntityManager, { organizationId, accountId, suspended, revision }: Suspension): Promise<void> {
  await tx.execute(
    `insert into "services"."account_suspension" ("organization_id", "account_id", "suspended", "revision") values (?, ?, ?, ?)
     on conflict ("organization_id", "account_id") do update set "suspended" = excluded."suspended", "revision" = excluded."revision"
     where "account_suspension"."revision" < excluded."revision"`,
    [organizationId, accountId, suspended, revision],
  );
}

/** Suspends or resumes a service according to the current state of its account. The state is read after the service is locked. */
async function follow(tx: EntityManager, { clock, jobs }: SuspensionPorts, id: string): Promise<void> {
  const service = await lockService(tx, id);
  if (!service) return;
  await suspendWithAccount(tx, service, clock.now());
  if (service.status !== ServiceStatus.SUSPENDED || (await isAccountSuspended(tx, service))) return;
  await transition(tx, service, ServiceStatus.OPERATIONAL, clock.now());
  // changes that were ordered before the suspension
  await enqueueChanges(jobs, tx, service);
}
