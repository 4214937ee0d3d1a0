import { PLANS, type PlanTerms } from '../kernel/access/plans.ts';
import type { Principal } from '../kernel/access/principal.ts';
import { PlatformError } from '../kernel/errors/errors.ts';

type Terms = Pick<PlanTerms, 'liveConnections' | 'liveSubscriptions'>;

/** The numbers of open connections and subscriptions of an organization. */
interface Open {
  connections: number;
  subscriptions: number;
}

/**
 * Enforces the plan's limits of open connections and subscriptions for each organization. Each process counts only its
 * own connections, so an organization can use the full limit in each process.
 */
export class LiveCaps {
  readonly #open = new Map<string, Open>();

  constructor(private readonly termsOf: (principal: Principal) => Terms = ({ plan }) => PLANS[plan]) {}

  /**
   * Counts a connection until its slot is released.
   * @throws PlatformError RATE_LIMIT_EXCEEDED (429) if the limit is reached
   */
  connect(principal: Principal): LiveSlot {
    const { organizationId } = principal;
    const open = this.#open.get(organizationId) ?? { connections: 0, subscriptions: 0 };
    refuseBeyond('live_connections', open.connections, this.termsOf(principal).liveConnections);
    open.connections += 1;
    this.#open.set(organizationId, open);
    return new LiveSlot(open, this.termsOf, () => {
      if (open.connections === 0) this.#open.delete(organizationId);
    });
  }
}

/** The slot of one connection. When the slot is released, the subscriptions of the connection are released too. */
export class LiveSlot {
  #subscriptions = 0;
  #isTaken = true;

  constructor(
    private readonly open: Open,
    private readonly termsOf: (principal: Principal) => Terms,
    private readonly onLeave: () => void,
  ) {}

  /**
   * Counts a subscription of this connection. Returns a function that releases the subscription.
   * @throws PlatformError RATE_LIMIT_EXCEEDED (429) if the limit is reached
   */
  subscribe(principal: Principal): () => void {
    refuseBeyond('live_subscriptions', this.open.subscriptions, this.termsOf(principal).liveSubscriptions);
    if (!this.#isTaken) return () => undefined;
    this.#count(1);
    let isCounted = true;
    return () => {
      if (isCounted && this.#isTaken) this.#count(-1);
      isCounted = false;
    };
  }

  /** Releases the slot when the connection is closed. Repeated calls have no effect. */
  leave(): void {
    if (!this.#isTaken) return;
    this.#count(-this.#subscriptions);
    this.#isTaken = false;
    this.open.connections -= 1;
    this.onLeave();
  }

  #count(more: number): void {
    this.#subscriptions += more;
    this.open.subscriptions += more;
  }
}

const WORDS = {
  live_connections: (limit: number) =>
    `The plan allows ${limit} live connections at a time. Close one, or use more subscriptions per connection.`,
  live_subscriptions: (limit: number) => `The plan allows ${limit} live subscriptions at a time. Complete one first.`,
};

function refuseBeyond(window: keyof typeof WORDS, used: number, limit: number): void {
  if (used >= limit) throw new PlatformError('RATE_LIMIT_EXCEEDED', WORDS[window](limit), { window, limit, current_usage: used });
}
