import { parse } from 'graphql';
import type { Ports } from '../../../kernel/domain.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { CollectionTerms } from './collection-terms.ts';
import { Dunning } from './dunning.entity.ts';
import { reviewDunning } from './dunning-review.ts';
import { platformRequest } from './platform-request.ts';
import type { ReminderMails } from './reminder.mails.ts';

const QUEUE = 'billing.dunning';
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
  jobs.define<ReviewJob>(QUEUE, handle, { concurrency: CONCURRENCY, waits: ports.isClosed });
}

/**
 * Enqueues the reviews that are due. The review sets the next time. If its job is lost, the account is reviewed an hour later.
 */
export const dunningSweeper = (ports: Ports): Sweeper =>
  dueSweeper({ ...ports, waits: ports.isClosed }, DUE, async (tx, id, now) => {
    const dunning = await tx.findOneOrFail(Dunning, { id });
    dunning.dueAt = new Date(now.getTime() + HOUR_MS);
    await ports.jobs.enqueue(tx, QUEUE, { organizationId: dunning.organizationId, accountId: id } satisfies ReviewJob);
  });
