import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { advisoryLock } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { enqueueAdvance } from './sandbox-advance.job.ts';
import { ClockAdvancing, NoSandbox } from './sandbox-clock.errors.ts';
import { SandboxClockStatus } from './sandbox-clock.states.ts';
import { type ClockRow, COLUMNS, clockLock, clockOf, readClock, type StoredClock } from './sandbox-clock.store.ts';
import type { SandboxClock } from './sandbox-clock.types.ts';

const FIRST = new Date('2000-01-01T00:00:00.000Z');
const MAX_YEARS = 5;

export interface SandboxClockServiceDeps {
  em: EntityManager;
  rows: Rows;
  jobs: Jobs;
  clock: Clock;
  request: RequestContext;
  isSandbox: boolean;
}

/** Reads and advances the sandbox clock of the caller's organization. */
export class SandboxClockService {
  constructor(private readonly deps: SandboxClockServiceDeps) {}

  /**
   * Returns the sandbox clock of the organization.
   * @throws NoSandbox
   */
  async find(): Promise<SandboxClock> {
    const { rows, clock, request, isSandbox } = this.deps;
    if (!isSandbox) throw new NoSandbox();
    const now = clock.now();
    return (await readClock(rows, request.principal.organizationId)) ?? { now, target: now, status: SandboxClockStatus.READY };
  }

  /**
   * Starts to advance the clock. A background job does the work that becomes due until `to`.
   * @throws NoSandbox, ClockAdvancing, InvalidParameters
   */
  async advance(to: Date): Promise<SandboxClock> {
    const { em, clock, jobs, request, isSandbox } = this.deps;
    if (!isSandbox) throw new NoSandbox();
    const { organizationId } = request.principal;
    return em.transactional(async (tx) => {
      // a change that has read the earlier time is either committed before the advance, or refused
      await advisoryLock(tx, clockLock(organizationId));
      const before = await lockedClock(tx, organizationId, clock.now());
      if (before.status === SandboxClockStatus.ADVANCING) throw new ClockAdvancing();
      const isPast = before.isNew && to < before.now;
      const isAllowed = isPast ? to >= FIRST && (await hasNoRecords(tx, organizationId)) : isAhead(to, before);
      if (!isAllowed) refuse([{ field: 'to', value: to, reason: reasonOf(before, isPast) }]);
      const [row] = await tx.execute<ClockRow[]>(
        `update "billing"."sandbox_clock" set "now_at" = ?::timestamptz, "target_at" = ?::timestamptz, "status" = ?,
           "revision" = "revision" + 1 where "organization_id" = ? returning ${COLUMNS}`,
        [(isPast ? to : before.now).toISOString(), to.toISOString(), isPast ? 'ready' : 'advancing', organizationId],
      );
      if (!isPast) await enqueueAdvance(jobs, tx, organizationId);
      return clockOf(row as ClockRow);
    });
  }
}

/** Locks and returns the clock. If the organization has no clock yet, creates it with the platform's time. */
async function lockedClock(tx: EntityManager, organizationId: string, now: Date): Promise<StoredClock & { isNew: boolean }> {
  const inserted = await tx.execute<object[]>(
    `insert into "billing"."sandbox_clock" ("organization_id", "now_at", "target_at", "status")
     values (?, ?::timestamptz, ?::timestamptz, 'ready') on conflict do nothing returning 1 as "one"`,
    [organizationId, now.toISOString(), now.toISOString()],
  );
  const select = `select ${COLUMNS} from "billing"."sandbox_clock" where "organization_id" = ? for update`;
  const [row] = await tx.execute<ClockRow[]>(select, [organizationId]);
  return { ...clockOf(row as ClockRow), isNew: inserted.length > 0 };
}

/** Returns true if the clock can advance to `to`. After a failed advance, the same target is valid again. */
function isAhead(to: Date, { now, target, status }: StoredClock): boolean {
  const last = new Date(now);
  last.setUTCFullYear(last.getUTCFullYear() + MAX_YEARS);
  return to <= last && (status === SandboxClockStatus.FAILED ? to >= target : to > now);
}

const reasonOf = ({ now, target, status }: StoredClock, isPast: boolean): string =>
  isPast
    ? 'may be in the past only if your organization has no records in billing yet, and not before 2000-01-01'
    : `must be after ${(status === SandboxClockStatus.FAILED ? target : now).toISOString()} and at most ${MAX_YEARS} years later`;

async function hasNoRecords(tx: EntityManager, organizationId: string): Promise<boolean> {
  const tables = ['invoice', 'subscription', 'billing_account', 'payment_method', 'ledger_transfer', 'usage_event', 'budget'];
  const found = tables.map((table) => `exists (select from "billing"."${table}" where "organization_id" = ?)`).join(' or ');
  const [row] = await tx.execute<{ found: boolean }[]>(
    `select (${found}) as "found"`,
    tables.map(() => organizationId),
  );
  return !row?.found;
}
