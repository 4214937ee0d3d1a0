import { setTimeout as delay } from 'node:timers/promises';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import { openSecrets } from '../webhooks/webhook.secret.ts';
import type { DeliverySender } from './delivery.sender.ts';
import type { Settler } from './delivery.settler.ts';
import type { Lane } from './delivery.store.ts';
import { leaseEnd, Turn, type TurnDeps } from './delivery.turn.ts';

/** How many deliveries all turns of the process hold in memory, beside the one that each may. */
const HELD = 5000;
const PAGE = 100;
const STOP_GRACE_MS = 3000;
const FAILED_MS = 500;
/** How often it is looked whether an organization is still suspended. */
const SUSPENDED_MS = 10_000;

export interface LanesDeps extends TurnDeps {
  sender: DeliverySender;
  settler: Settler;
  secrets: SecretBox;
}

interface Running {
  /** Something came for it: to be looked at once more. */
  again: boolean;
  turn?: Turn;
}

/**
 * Delivers. Each webhook has a lane of its own, which one process has at a time: first attempts go one after the other in the
 * order of the log, retries beside them. Lanes do not wait for each other and their number has no bound, so a slow receiver
 * delays only itself.
 */
export class DeliveryLanes {
  readonly #running = new Map<string, Running>();
  readonly #idle: (() => void)[] = [];
  #isStopped = true;

  constructor(private readonly deps: LanesDeps) {}

  start(): void {
    this.#isStopped = false;
    this.deps.settler.start();
  }

  /** Something is due for a webhook. */
  wake(webhookId: string): void {
    if (this.#isStopped) return;
    const running = this.#running.get(webhookId);
    if (!running) return void this.#run(webhookId);
    running.again = true;
    running.turn?.nudge();
  }

  /** Lets attempts that are under way end for a moment; what is cut off stays due. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { turn } of this.#running.values()) turn?.end();
    this.deps.settler.stop();
    const cutOff = setTimeout(() => void this.deps.sender.stop(), STOP_GRACE_MS);
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    clearTimeout(cutOff);
    await this.deps.sender.stop();
  }

  async #run(webhookId: string): Promise<void> {
    const state: Running = { again: false };
    this.#running.set(webhookId, state);
    try {
      const { store, clock } = this.deps;
      const now = clock.now();
      const lane = await store.claim(webhookId, now, leaseEnd(now));
      if (lane && (await this.deps.isSuspended(lane.organizationId))) await store.postpone(lane, new Date(now.getTime() + SUSPENDED_MS));
      else if (lane) await this.#take(lane, state);
    } catch (error) {
      if (!this.#isStopped) this.deps.log.error({ webhook: webhookId, err: error }, 'delivering failed and will be tried again');
    }
    this.#running.delete(webhookId);
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    if (state.again) this.wake(webhookId);
  }

  async #take(lane: Lane, state: Running): Promise<void> {
    const { secrets, clock } = this.deps;
    try {
      const turn = new Turn(this.deps, lane, openSecrets(secrets, lane.webhookId, lane, clock.now()), () => this.#share());
      state.turn = turn;
      if (this.#isStopped) turn.end();
      do {
        await turn.deliver();
        // who woke it until now had committed: the end of the turn sees that
        state.again = false;
      } while (await this.#goesOn(lane, turn, state));
    } catch (error) {
      await this.#letGo(lane);
      throw error;
    }
  }

  async #goesOn(lane: Lane, turn: Turn, state: Running): Promise<boolean> {
    const now = this.deps.clock.now();
    const later = leaseEnd(now);
    const { isKept, dueAt } = await this.deps.store.release(lane, turn.isOver ? null : later);
    if (isKept) lane.until = later;
    // a webhook that changed is delivered to as it is now; where nothing could be done the sweep has time
    else if (dueAt && dueAt <= now && turn.made > 0) state.again = true;
    return isKept;
  }

  /** After a failure, which may be the database's: the turn is this process's until it ends by itself. */
  async #letGo(lane: Lane): Promise<void> {
    const { store, clock } = this.deps;
    for (;;) {
      try {
        return void (await store.release(lane, null));
      } catch (error) {
        if (this.#isStopped || clock.now() >= lane.until) throw error;
        await delay(FAILED_MS);
      }
    }
  }

  #share(): number {
    return Math.max(1, Math.min(PAGE, Math.floor(HELD / this.#running.size)));
  }
}
