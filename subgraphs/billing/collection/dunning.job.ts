import { parse } from 'graphql';
import type { Ports } from '../../../kernel/domain.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { Collection } from './collection.entity.ts';
import type { CollectionTerms } from './collection-terms.ts';
import { Dunning } from './dunning.entity.ts';
import { reviewDunning } from './dunning-review.ts';
import { platformRequest } from './platform-request.ts';
import type { ReminderMails } from './reminder.mails.ts';

export const REVIEWS = 'billing.dunning';
const CONCURRENCY = 4;
const DUE = { name: 'billing.dunning', table: 'billing.dunning', column: 'due_at', postponeMs: HOUR_MS } as const;
const ACCOUNT = parse('query DunningAccount($id: ID!) { account(id: $id) { own } }');

interface ReviewJob {
  organizationId: string;
  accountId: string;
}

/** Defines the queue of the jobs that review accounts. Call it before the job queues start. */
export function defineDunning(ports: Ports, terms: CollectionTerms, mails: ReminderMails): void {
  const { jobs, graph, orm, clock } = ports;
  const handle = async ({ organizationId, accountId }: ReviewJob): Promise<void> => {
    const found = await graph.query<{ account: { own: boolean } | null }>(
      ACCOUNT,
      { id: accountId },
      platformRequest(ports, organizationId),
    );
    const isOwn = found.account?.own ?? false;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      const invoiceIds = await reviewDunning(tx, { accountId, isOwn, terms, now: clock.now() });
      if (invoiceIds.length > 0 && found.account) await mails.enqueue(tx, { organizationId, accountId, invoiceIds });
    });
  };
  jobs.define<ReviewJob>(REVIEWS, handle, { concurrency: CONCURRENCY, waits: ports.isClosed });
}

/**
 * Enqueues the reviews that are due. Each review sets the time of the next review. If a job is lost, the account is reviewed an hour later.
 * An account without overdue invoices needs no job, because it is neither reminded nor suspended.
 */
export const dunningSweeper = (ports: Ports, terms: CollectionTerms): Sweeper =>
  dueSweeper({ ...ports, waits: ports.isClosed }, DUE, async (tx, id, now) => {
    const isOverdue = await tx.findOne(Collection, { accountId: id, overdueAt: { $lte: now } });
    if (!isOverdue) {
      await reviewDunning(tx, { accountId: id, isOwn: false, terms, now });
      return;
    }
    const dunning = await tx.findOneOrFail(Dunning, { id });
    dunning.dueAt = new Date(now.getTime() + HOUR_MS);
    await ports.jobs.enqueue(tx, REVIEWS, { organizationId: dunning.organizationId, accountId: id } satisfies ReviewJob);
  });
