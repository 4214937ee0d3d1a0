import { Backfill } from '../../../kernel/database/backfill.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { WorkLoop } from '../../../kernel/work/work-loop.ts';
import { recountName, type SumTable, sumTableName } from './sum-table.ts';

/** Maximum number of cells that one statement compacts. */
const FOLDED_AT_ONCE = 500;

type SumsDeps = Pick<Ports, 'orm' | 'rows' | 'database' | 'log' | 'clock'>;

interface Summed {
  sums: SumTable;
  backfill: Backfill | undefined;
  /** CTE that is added to the statement that compacts rows. It reads the changed cells from `taken`. `$1` is the current time. */
  marks: string | undefined;
}

/** Compacts the rows that triggers append to tables of sums. New rows are compacted within a second. */
export class Sums {
  readonly #summed: readonly Summed[];
  readonly #loop: WorkLoop;
  readonly #stops: (() => void)[] = [];

  constructor(
    private readonly deps: SumsDeps,
    ...tables: { sums: SumTable; marks?: string }[]
  ) {
    this.#summed = tables.map(({ sums, marks }) => ({ sums, marks, backfill: sums.backfill ? backfillOf(deps, sums) : undefined }));
    this.#loop = new WorkLoop(() => this.#foldAll(), deps.log.child({ sums: 'billing' }));
  }

  start(): void {
    for (const { sums, backfill } of this.#summed) {
      backfill?.start();
      // because of its `order by`, the query uses the index of the rows that are not folded
      const query = `select 1 from ${sumTableName(sums)} where not "folded" order by "organization_id" limit 1`;
      this.#stops.push(this.deps.database.poller.add({ name: `billing.${sums.table}`, query, found: () => this.#loop.wake() }));
    }
    this.#loop.start();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await Promise.all([this.#loop.stop(), ...this.#summed.map(({ backfill }) => backfill?.stop())]);
  }

  /** Compacts each table once. Skips a table whose backfill is still running, because the backfill replaces rows. */
  async #foldAll(): Promise<boolean> {
    const folded: number[] = [];
    for (const one of this.#summed) if (one.backfill?.isDone ?? true) folded.push(await this.#fold(one));
    return Math.max(0, ...folded) >= FOLDED_AT_ONCE;
  }

  /** Compacts rows of one table. Several processes can do this at the same time, because only one of them deletes each row. */
  async #fold({ sums, marks }: Summed): Promise<number> {
    const name = sumTableName(sums);
    const columns = (prefix = ''): string => sums.cell.map((column) => `${prefix}"${column}"`).join(', ');
    const totals = sums.sums.map((column) => `sum("${column}")`);
    const [row] = await this.deps.rows.query<{ cells: number }>(
      `with news as materialized (select distinct ${columns()} from ${name} where not "folded" limit ${FOLDED_AT_ONCE}),
        taken as (delete from ${name} t using news n where (${columns('t.')}) = (${columns('n.')}) returning t.*),
        folded as (insert into ${name} (${columns()}, ${sums.sums.map((column) => `"${column}"`).join(', ')}, "folded")
          select ${columns()}, ${totals.join(', ')}, true from taken group by ${columns()}
          having ${totals.map((total) => `${total} <> 0`).join(' or ')})
        ${marks ? `, ${marks}` : ''}
       select count(*)::int as cells from news`,
      marks ? [this.deps.clock.now()] : [],
    );
    return row?.cells ?? 0;
  }
}

/** Creates the backfill that computes the sums from older invoices, one organization after the other. */
const backfillOf = ({ orm, log }: SumsDeps, sums: SumTable): Backfill =>
  new Backfill({ orm, log }, sums.backfill as string, async (tx, from) => {
    const [next] = await tx.execute<{ organization_id: string }[]>(
      `select "organization_id" from "billing"."invoice" where "organization_id" > ? order by 1 limit 1`,
      [from?.[0] ?? ''],
    );
    if (!next) return null;
    // turns off the timeout of statements, because an organization may have many invoices
    await tx.execute('set local statement_timeout = 0');
    await tx.execute(`select ${recountName(sums)}(?)`, [next.organization_id]);
    return [next.organization_id];
  });
