import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { Collection } from './collection.entity.ts';
import type { CollectionTerms } from './collection-terms.ts';
import { Dunning } from './dunning.entity.ts';
import { accountDunningChanged } from './dunning.events.ts';
import { DunningState } from './dunning.states.ts';

export interface Review {
  accountId: string;
  /** True for the organization's own account, which is neither reminded nor suspended. */
  isOwn: boolean;
  terms: CollectionTerms;
  now: Date;
}

/**
 * Computes the dunning state of an account from its open invoices, and records a change of the state. Returns the ids of the invoices for
 * which a reminder is due now. The result depends only on stored data, so a repeated or late review has the same result. Each reminder is
 * sent once, and each change of the state is recorded once.
 */
export async function reviewDunning(tx: EntityManager, { accountId, isOwn, terms, now }: Review): Promise<string[]> {
  const dunning = await tx.findOne(Dunning, { id: accountId }, { ...LOCKED, refresh: true });
  if (!dunning) return [];
  const open = await tx.find(Collection, { accountId }, { ...LOCKED, orderBy: { overdueAt: 'asc', id: 'asc' } });
  const overdue = open.filter(({ overdueAt }) => overdueAt <= now);
  const unpaid = await withoutPaymentInProgress(tx, overdue);
  const reminded = isOwn ? [] : unpaid.filter((one) => isReminderDue(one, terms, now));
  for (const one of reminded) one.reminders = remindersUntil(one, terms, now);
  const state = stateOf(overdue, unpaid, dunning.state, { isOwn, terms, now });
  dunning.dueAt = nextReview(open, terms, now, overdue.length > unpaid.length);
  if (state !== dunning.state) {
    const from = dunning.state;
    Object.assign(dunning, { state, since: now, revision: dunning.revision + 1 });
    await record(tx, accountDunningChanged(dunning, from, now));
  }
  return reminded.map(({ id }) => id);
}

/** Leaves out invoices that a payment in progress may pay. The account is neither reminded nor suspended because of these invoices. */
async function withoutPaymentInProgress(tx: EntityManager, overdue: readonly Collection[]): Promise<Collection[]> {
  if (overdue.length === 0) return [];
  const invoices = await tx.find(Invoice, { id: { $in: overdue.map(({ id }) => id) } }, { refresh: true });
  const unpaid = new Set(invoices.filter(({ amountOpen }) => amountOpen.greaterThan(0)).map(({ id }) => id));
  return overdue.filter(({ id }) => unpaid.has(id));
}

/**
 * Returns the dunning state of an account. While a payment is in progress, an account is neither suspended nor released from a suspension.
 */
function stateOf(
  overdue: readonly Collection[],
  unpaid: readonly Collection[],
  present: DunningState,
  { isOwn, terms, now }: Pick<Review, 'isOwn' | 'terms' | 'now'>,
): DunningState {
  if (overdue.length === 0) return DunningState.CURRENT;
  const deciding = present === DunningState.SUSPENDED ? overdue : unpaid;
  const isLate = deciding.some(({ overdueAt }) => after(overdueAt, terms.suspensionDays) <= now);
  return isLate && !isOwn ? DunningState.SUSPENDED : DunningState.OVERDUE;
}

const remindersUntil = ({ overdueAt }: Collection, { reminderDays }: CollectionTerms, now: Date): number =>
  reminderDays.filter((days) => after(overdueAt, days) <= now).length;

const isReminderDue = (one: Collection, terms: CollectionTerms, now: Date): boolean => remindersUntil(one, terms, now) > one.reminders;

/** Returns the time of the next review of an account. While a payment is in progress, the account is reviewed every day. */
function nextReview(
  open: readonly Collection[],
  { reminderDays, suspensionDays }: CollectionTerms,
  now: Date,
  isWaiting: boolean,
): Date | null {
  const days = [0, ...reminderDays, suspensionDays];
  const times = open.flatMap(({ overdueAt }) => days.map((count) => after(overdueAt, count).getTime()));
  const later = [...times, ...(isWaiting ? [now.getTime() + DAY_MS] : [])].filter((time) => time > now.getTime());
  return later.length > 0 ? new Date(later.reduce((one, other) => Math.min(one, other))) : null;
}

const after = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);
