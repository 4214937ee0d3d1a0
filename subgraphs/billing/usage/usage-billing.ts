import type { EntityManager } from '../../../kernel/database/database.ts';
import { markBilled } from './metered-lines.store.ts';
import { type Metered, type MeteredBill, type MeteredPeriod, meteredLines, type ReadUsage, readUsage } from './metered-lines.ts';

/**
 * Bills the metered usage of services of one organization, within a transaction that has the locks of their accounts. `prepare` reads the
 * usage of all services with two statements. `mark` stores which usage was billed; this happens at the latest before the next bill of the
 * same service.
 */
export class UsageBilling {
  readonly #read = new Map<string, ReadUsage>();
  readonly #unmarked = new Map<string, MeteredBill>();

  constructor(
    private readonly tx: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** Reads the usage of several services in advance. */
  async prepare(periods: readonly Metered[]): Promise<void> {
    const read = await readUsage(this.tx, this.organizationId, periods);
    for (const { serviceId } of periods) this.#read.set(serviceId, read);
  }

  /** Returns the usage of a service in a period that must be billed. The usage is not marked as billed yet. */
  async bill(of: MeteredPeriod): Promise<MeteredBill> {
    const { serviceId } = of;
    if (this.#unmarked.has(serviceId)) await this.mark();
    const read = this.#read.get(serviceId);
    // a second bill must see what the first one has billed
    this.#read.delete(serviceId);
    const bill = await meteredLines(this.tx, of, read);
    this.#unmarked.set(serviceId, bill);
    return bill;
  }

  /** Marks the usage of previous bills as billed. The transaction must not commit before. */
  async mark(): Promise<void> {
    const bills = [...this.#unmarked.values()];
    this.#unmarked.clear();
    await markBilled(this.tx, bills);
  }
}
