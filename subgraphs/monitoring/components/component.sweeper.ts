import type { Ports } from '../../../kernel/domain.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { Sweeper } from '../../../kernel/records/due.ts';
import { inTime } from '../../../kernel/work/in-time.ts';
import { type ComponentName, ComponentStatus } from './component.states.ts';
import { ComponentStore, DUE } from './component.store.ts';
import { type ComponentState, type Measured, nextState } from './component-state.ts';

/** Measures a component. Rejects if the component does not work. */
export type ComponentCheck = () => Promise<Measured>;

/** The checks of the platform's components. A component without a check stays unknown. */
export type ComponentChecks = Readonly<Partial<Record<ComponentName, ComponentCheck>>>;

/** Time after which a check without a result has failed. It is shorter than the interval of the checks. */
const TIMEOUT_MS = 5_000;

export interface ComponentSweeperDeps extends Pick<Ports, 'database' | 'rows' | 'clock' | 'log'> {
  checks: ComponentChecks;
}

/**
 * Returns the sweeper that measures the components of the platform. One process at a time measures them, and stores their states for all
 * processes. The checks run outside of a transaction, because they use other connections.
 */
export function componentSweeper({ database, rows, clock, log, checks }: ComponentSweeperDeps): Sweeper {
  const store = new ComponentStore(rows);
  const query = `select 1 from "monitoring"."component" where ${DUE} limit 1`;
  return new Sweeper({ name: 'monitoring.components', clock, log, poller: database.poller, query }, async (now) => {
    const due = await store.take(now);
    const checked = await Promise.all(
      [...due].map(async ([name, state]) => [name, state, await resultOf(name, checks[name], log)] as const),
    );
    const measured = checked.filter(([name]) => checks[name] !== undefined);
    const next = measured.map(([name, state, result]) => [name, nextState(name, state, result, now)] as const);
    if (next.length > 0) await store.write(new Map(next));
    for (const [name, state] of next) logChange(log, name, due.get(name), state);
    return due.size;
  });
}

/** Returns the result of a check. Null if it failed. */
async function resultOf(name: ComponentName, check: ComponentCheck | undefined, log: Logger): Promise<Measured | null> {
  try {
    return check ? await inTime(check(), TIMEOUT_MS, () => new Error(`no result within ${TIMEOUT_MS} ms`)) : null;
  } catch (error) {
    log.debug({ component: name, err: error }, 'the check of a component failed');
    return null;
  }
}

function logChange(
  log: Logger,
  component: ComponentName,
  before: ComponentState | undefined,
  { status, since, seconds }: ComponentState,
): void {
  if (!before?.status || before.status === status) return;
  const line = { component, status, before: before.status, since, seconds };
  if (status === ComponentStatus.OPERATIONAL) log.info(line, 'a component of the platform works again');
  else log.warn(line, 'the status of a component of the platform has changed');
}
