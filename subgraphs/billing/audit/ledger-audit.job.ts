import type { Ports } from '../../../kernel/domain.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Metrics } from '../../../kernel/metrics/metrics.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { DAY_MS, dayStart, HOUR_MS } from '../../../kernel/values/days.ts';
import { ledgerDifferenceFound } from './ledger-audit.events.ts';
import { auditPart, type LedgerDifference } from './ledger-audit.ts';

const QUEUE = 'billing.ledger-audit';
const DUE = {
  name: 'billing.ledger-audit',
  table: 'billing.ledger_audit',
  column: 'audit_due_at',
  postponeMs: HOUR_MS,
  waitMs: DAY_MS,
} as const;
/** The audits of a night (UTC) begin between one and three o'clock, so that they do not all run at the same time. */
const [BEGIN_MS, SPREAD_MS] = [HOUR_MS, 2 * HOUR_MS];
/** Maximum number of ledger differences in a log line. */
const LOGGED = 5;

interface AuditJob {
  organizationId: string;
  after: string | null;
  /** Number of differences that the earlier parts of the audit found. */
  found: number;
}

/** Defines the queue of the audits. Each job audits one part of an organization, and enqueues the next. */
export function defineAudit(ports: Ports): void {
  const { clock, jobs, isClosed, log, orm, rows } = ports;
  const audit = async ({ organizationId, after, found }: AuditJob): Promise<void> => {
    const { differences, next } = await auditPart(rows, organizationId, after);
    const total = found + differences.length;
    if (differences.length > 0)
      log.error(
        { organization: organizationId, count: differences.length, differences: differences.slice(0, LOGGED).map(shown) },
        'the ledger differs from the records',
      );
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      const now = clock.now();
      if (differences.length > 0) await record(tx, ledgerDifferenceFound(organizationId, differences, now));
      if (next !== null) await jobs.enqueue(tx, QUEUE, { organizationId, after: next, found: total } satisfies AuditJob);
      else
        await tx.execute(
          `update "billing"."ledger_audit" set "audited_at" = ?::timestamptz, "differences" = ? where "organization_id" = ?`,
          [now.toISOString(), total, organizationId],
        );
    });
  };
  jobs.define<AuditJob>(QUEUE, audit, { concurrency: 1, waits: isClosed });
}

const shown = ({ accountId, currency, ledgerAccount, posted, recorded }: LedgerDifference): string =>
  `${accountId} ${ledgerAccount}: ${posted.toFixed()} ${currency} instead of ${recorded.toFixed()} ${currency}`;

/** Starts the audit of each organization once per night, by the platform's clock and not by sandbox clocks. */
export const auditSweeper = (ports: Ports): Sweeper =>
  dueSweeper({ ...ports, except: undefined, waits: ports.isClosed }, DUE, async (tx, organizationId, now) => {
    const next = new Date(dayStart(now, 1).getTime() + BEGIN_MS + Math.floor(Math.random() * SPREAD_MS));
    await tx.execute(`update "billing"."ledger_audit" set "audit_due_at" = ?::timestamptz where "id" = ?`, [
      next.toISOString(),
      organizationId,
    ]);
    await ports.jobs.enqueue(tx, QUEUE, { organizationId, after: null, found: 0 } satisfies AuditJob);
  });

/** Samples how many organizations have a ledger with differences. Sampling stops when the returned function is called. */
export const sampleAudits = ({ rows, log }: Pick<Ports, 'rows' | 'log'>, metrics: Metrics): (() => void) =>
  metrics.samples.add('ledger audits', log, async () => {
    const [row] = await rows.query<{ count: number }>(
      `select count(*)::int as "count" from "billing"."ledger_audit" where "differences" > 0`,
      [],
    );
    metrics.ledgersWithDifferences.set(row?.count ?? 0);
  });
