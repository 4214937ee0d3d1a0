import type { Rows } from '../../../kernel/database/database.ts';
import { PREPARED } from '../../../kernel/database/statements.ts';
import type { SandboxClockStatus } from './sandbox-clock.states.ts';

export const TABLE = 'billing.sandbox_clock';
export const COLUMNS = '"now_at", "target_at", "status", "revision"';

/**
 * Name of the advisory lock of an organization's clock. A change of billing shares the lock while it is committed, and the transaction that
 * begins an advance holds it alone.
 */
export const clockLock = (organizationId: string): string => `billing.sandbox-clock ${organizationId}`;

/** The sandbox clock of one organization. */
export interface StoredClock {
  now: Date;
  target: Date;
  status: SandboxClockStatus;
  revision: number;
}

export interface ClockRow {
  now_at: Date | string;
  target_at: Date | string;
  status: SandboxClockStatus;
  revision: number;
}

export const clockOf = ({ now_at, target_at, ...row }: ClockRow): StoredClock => ({
  ...row,
  now: new Date(now_at),
  target: new Date(target_at),
});

/** Reads the sandbox clock of an organization. Undefined if the organization uses the time of the platform. */
export async function readClock(rows: Rows, organizationId: string): Promise<StoredClock | undefined> {
  const [row] = await rows.query<ClockRow>(
    `select ${COLUMNS} from "billing"."sandbox_clock" where "organization_id" = $1`,
    [organizationId],
    PREPARED,
  );
  return row && clockOf(row);
}
