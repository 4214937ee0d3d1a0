import type { Rows } from '../../../kernel/database/database.ts';
import type { ComponentName } from './component.states.ts';
import { CHECK_MS, type ComponentState } from './component-state.ts';

const COLUMNS = `"name", "status", "since", "checked_at", "seconds", "differing_checks", "differing_since"`;

/** SQL condition for components whose check is due at `$1`. A check that is further ahead than an interval was planned by a clock that ran ahead. */
export const DUE = `("due_at" <= $1::timestamptz or "due_at" > $1::timestamptz + interval '${CHECK_MS} milliseconds')`;

type Row = { name: ComponentName; status: ComponentState['status']; seconds: number | null; differing_checks: number } & Record<
  'since' | 'checked_at' | 'differing_since',
  Date | string | null
>;

/** Reads and writes the states of the platform's components. They belong to no organization. */
export class ComponentStore {
  constructor(private readonly rows: Rows) {}

  /** Reads the states of all components. */
  async read(): Promise<Map<ComponentName, ComponentState>> {
    return statesOf(await this.rows.query<Row>(`select ${COLUMNS} from "monitoring"."component"`, []));
  }

  /** Takes the components whose check is due, so that no other process checks them before the next interval. */
  async take(now: Date): Promise<Map<ComponentName, ComponentState>> {
    const next = new Date(now.getTime() + CHECK_MS);
    return statesOf(
      await this.rows.query<Row>(`update "monitoring"."component" set "due_at" = $2 where ${DUE} returning ${COLUMNS}`, [now, next]),
    );
  }

  /** Stores the states of checked components. */
  async write(states: ReadonlyMap<ComponentName, ComponentState>): Promise<void> {
    const stored = [...states].map(([name, { checkedAt, differingChecks, differingSince, ...state }]) => ({
      ...state,
      name,
      checked_at: checkedAt,
      differing_checks: differingChecks,
      differing_since: differingSince,
    }));
    await this.rows.query(
      `update "monitoring"."component" c set "status" = g."status", "since" = g."since", "checked_at" = g."checked_at", "seconds" = g."seconds",
         "differing_checks" = g."differing_checks", "differing_since" = g."differing_since"
       from json_to_recordset($1::json) as g("name" text, "status" text, "since" timestamptz, "checked_at" timestamptz, "seconds" float8,
         "differing_checks" int, "differing_since" timestamptz)
       where c."name" = g."name"`,
      [JSON.stringify(stored)],
    );
  }
}

const dateOf = (value: Date | string | null): Date | null => (value === null ? null : new Date(value));

const statesOf = (rows: readonly Row[]): Map<ComponentName, ComponentState> =>
  new Map(
    rows.map(({ name, status, seconds, differing_checks: differingChecks, ...times }) => [
      name,
      {
        status,
        since: dateOf(times.since),
        checkedAt: dateOf(times.checked_at),
        seconds,
        differingChecks,
        differingSince: dateOf(times.differing_since),
      },
    ]),
  );
