import { PLANS, type PlanTerms } from '../kernel/access/plans.ts';
import type { Principal } from '../kernel/access/principal.ts';
import { PlatformError } from '../kernel/errors/errors.ts';

type Terms = Pick<PlanTerms, 'liveConnections' | 'liveSubscriptions'>;

/** What an organization has open. */
interface Open {
  connections: number;
  subscriptions: number;
}

/**
 * What the plans allow to be open at a time: connections, and subscriptions on all of them together. Counted for each
 * organization in this process; over several processes an organization may have as many in each.
 */
export class LiveCaps {
  readonly #open = new Map<string, Open>();

  constructor(private readonly termsOf: (principal: Principal) => Terms = ({ plan }) => PLANS[plan]) {}

  /** Counts a connection until it leaves. @throws PlatformError RATE_LIMIT_EXCEEDED (429) */
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

/** The place of one connection. The subscriptions on it are counted with it and leave with it. */
export class LiveSlot {
  #subscriptions = 0;
  #isTaken = true;

  constructor(
    private readonly open: Open,
    private readonly termsOf: (principal: Principal) => Terms,
    private readonly onLeave: () => void,
  ) {}

  /** Counts a subscription of whoever this is by now. Answers what ends that. @throws PlatformError RATE_LIMIT_EXCEEDED (429) */
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

  /** The connection is closed; a second time is nothing. */
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
  live_connections: (limit: number) => `The plan allows ${limit} live connections at a time. Close one, or put more subscriptions on each.`,
  live_subscriptions: (limit: number) => `The plan allows ${limit} live subscriptions at a time. Complete one first.`,
};

function refuseBeyond(window: keyof typeof WORDS, used: number, limit: number): void {
  if (used >= limit) throw new PlatformError('RATE_LIMIT_EXCEEDED', WORDS[window](limit), { window, limit, current_usage: used });
}
