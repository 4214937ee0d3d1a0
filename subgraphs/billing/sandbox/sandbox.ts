import type { TransactionEventArgs } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { OrganizationClock } from '../../../kernel/organization-clock.ts';
import type { Sweeper } from '../../../kernel/records/due.ts';
import type { Subgraph } from '../../../kernel/subgraph.ts';
import { SandboxAdvance } from './sandbox-advance.job.ts';
import { ClockAdvancing } from './sandbox-clock.errors.ts';
import { clockLock, readClock, TABLE } from './sandbox-clock.store.ts';

/** The mutation that begins an advance. It locks the clock alone. */
const ADVANCE = 'advanceSandboxClock';

/** Gives each organization of a sandbox its own clock in billing. Requests, reactions and jobs use this clock. */
export class Sandbox {
  readonly #clock: OrganizationClock;
  #advance: SandboxAdvance | undefined;

  constructor(private readonly given: Ports) {
    const { clock, jobs, rows } = given;
    this.#clock = new OrganizationClock(clock, async (organizationId) => {
      const row = await readClock(rows, organizationId);
      return row && { now: row.now, isAdvancing: row.status === 'advancing', revision: row.revision };
    });
    given.orm.em.getEventManager().registerSubscriber({ beforeTransactionCommit: (args) => this.#checkTime(args) });
    jobs.within('billing.', (organizationId, act) => this.#clock.inTimeOf(organizationId, act));
  }

  portsIn<P extends Ports>(ports: P): P {
    return { ...ports, clock: this.#clock, except: TABLE };
  }

  /**
   * Defines the job that advances the time. At each due time, it runs `sweepers` in the given order. The time advances only when all jobs
   * of `queues` have ended.
   */
  define(sweepers: readonly Sweeper[], queues: readonly string[]): void {
    this.#advance = new SandboxAdvance({ ...this.given, clock: this.#clock, sweepers, queues });
    this.#advance.define();
  }

  reactionIn(reaction: Reaction): Reaction {
    const { handle, handleTogether, together } = reaction;
    if (together === 'all') return reaction;
    const inTime = (organizationId: string, act: () => Promise<void>): Promise<void> => this.#clock.inTimeOf(organizationId, act);
    return {
      ...reaction,
      handle: (event) => inTime(event.organizationId, () => handle(event)),
      ...(handleTogether && {
        handleTogether: (events) => inTime(events[0]?.organizationId ?? '', () => handleTogether(events)),
      }),
    };
  }

  /** Runs the operations of a subgraph with the sandbox clock of the caller's organization. Refuses changes while the clock advances. */
  subgraphIn(subgraph: Subgraph): Subgraph {
    for (const field of Object.values(subgraph.schema.getMutationType()?.getFields() ?? {})) {
      const { name, resolve } = field;
      if (!resolve) continue;
      field.resolve = (source, args, context, info) => {
        if (this.#clock.isAdvancing) throw new ClockAdvancing();
        const act = () => resolve(source, args, context, info);
        return name === ADVANCE ? act() : this.#clock.changing(context.principal.organizationId, act);
      };
    }
    return { ...subgraph, around: ({ principal }, act) => this.#clock.inTimeOf(principal.organizationId, act) };
  }

  /**
   * Refuses to commit a change if the clock has changed since the change has read the time. Until the commit has ended, no advance begins.
   * Therefore nothing is stored at a time before the advance.
   * @throws ClockAdvancing
   */
  async #checkTime({ em, transaction }: TransactionEventArgs): Promise<void> {
    const { change } = this.#clock;
    if (!change) return;
    const run = <T extends object>(sql: string, value: string): Promise<T[]> =>
      (em as EntityManager).getConnection().execute<T[]>(sql, [value], 'all', transaction);
    await run('select pg_advisory_xact_lock_shared(hashtextextended(?, 0))', clockLock(change.organizationId));
    // a statement of its own, because a statement sees only what was committed before it began to wait
    const [row] = await run<{ revision: number }>(
      'select "revision" from "billing"."sandbox_clock" where "organization_id" = ?',
      change.organizationId,
    );
    if ((row?.revision ?? null) !== change.revision) throw new ClockAdvancing();
  }
}
