import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/log.ts';
import type { Metrics } from '../../../kernel/metrics.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import { openSecrets, type Secrets } from '../webhooks/webhook.secret.ts';
import { DeliveryStatus } from './delivery.entity.ts';
import { pauseAfter } from './delivery.schedule.ts';
import { type Attempt, type DeliverySender, isSuccess } from './delivery.sender.ts';
import { type DeliveryStore, type Due, FIRSTS, type Lane, type Outcome, RETRIES } from './delivery.store.ts';

/** How many webhooks are delivered to at a time. */
const MAX_RUNNING = 64;
/** A turn ends by itself this long after its process went silent. What is left of it is longer than an attempt may take. */
const LEASE_MS = 30_000;
const STOP_GRACE_MS = 3000;
const GONE = 410;

export interface LanesDeps {
  store: DeliveryStore;
  sender: DeliverySender;
  secrets: SecretBox;
  clock: Clock;
  log: Logger;
  metrics?: Pick<Metrics, 'webhookDuration'> | undefined;
}

/**
 * Delivers. Each webhook has a lane of its own, which one process has at a time: first attempts go one after the other in the
 * order of the log, retries beside them. Lanes do not wait for each other, so a slow receiver delays only itself.
 */
export class DeliveryLanes {
  /** With whether to run again, since something came while it ran. */
  readonly #running = new Map<string, { again: boolean }>();
  readonly #waiting = new Set<string>();
  readonly #idle: (() => void)[] = [];
  #isStopped = true;

  constructor(private readonly deps: LanesDeps) {}

  start(): void {
    this.#isStopped = false;
  }

  /** Something is due for a webhook. */
  wake(webhookId: string): void {
    if (this.#isStopped) return;
    const running = this.#running.get(webhookId);
    if (running) running.again = true;
    else this.#waiting.add(webhookId);
    this.#next();
  }

  /** Lets attempts that are under way end for a moment; what is cut off stays due. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting.clear();
    const cutOff = setTimeout(() => void this.deps.sender.stop(), STOP_GRACE_MS);
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    clearTimeout(cutOff);
    await this.deps.sender.stop();
  }

  #next(): void {
    for (const webhookId of this.#waiting) {
      if (this.#running.size >= MAX_RUNNING) return;
      this.#waiting.delete(webhookId);
      void this.#run(webhookId);
    }
  }

  async #run(webhookId: string): Promise<void> {
    const state = { again: false };
    this.#running.set(webhookId, state);
    try {
      if (await this.#turn(webhookId)) state.again = true;
    } catch (error) {
      if (!this.#isStopped) this.deps.log.error({ webhook: webhookId, err: error }, 'delivering failed and will be tried again');
    }
    this.#running.delete(webhookId);
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    // to the end of the queue: others wait too
    if (state.again) this.wake(webhookId);
    this.#next();
  }

  /** Whether more is left. */
  async #turn(webhookId: string): Promise<boolean> {
    const { store, secrets, clock } = this.deps;
    const lane = await store.claim(webhookId, clock.now(), this.#leaseEnd());
    if (!lane) return false;
    try {
      const due = await store.due(webhookId, clock.now());
      const signing = openSecrets(secrets, webhookId, lane, clock.now());
      const firsts = due.filter(({ attempt }) => attempt === 0);
      const retries = due.filter(({ attempt }) => attempt > 0);
      const results = await Promise.all([
        this.#inOrder(firsts, lane, signing),
        ...retries.map((retry) => this.#attempt(retry, lane, signing)),
      ]);
      return firsts.length === FIRSTS || retries.length === RETRIES || results.includes(false);
    } finally {
      await store.release(lane);
    }
  }

  /** False where it ended early, since the webhook changed. */
  async #inOrder(firsts: readonly Due[], lane: Lane, secrets: Secrets): Promise<boolean> {
    for (const first of firsts) {
      if (this.#isStopped || !(await this.#keep(lane)) || !(await this.#attempt(first, lane, secrets))) return false;
    }
    return true;
  }

  async #keep(lane: Lane): Promise<boolean> {
    if (lane.until.getTime() - this.deps.clock.now().getTime() > LEASE_MS / 2) return true;
    const until = this.#leaseEnd();
    const isKept = await this.deps.store.extend(lane, until);
    lane.until = until;
    return isKept;
  }

  #leaseEnd(): Date {
    return new Date(this.deps.clock.now().getTime() + LEASE_MS);
  }

  async #attempt(due: Due, lane: Lane, secrets: Secrets): Promise<boolean> {
    const { sender, store, clock, log, metrics } = this.deps;
    const attempt = await sender.send({ url: lane.url, eventId: due.eventId, payload: due.payload, secrets });
    const outcome = outcomeOf(attempt, due.attempt + 1, clock.now());
    const mayGoOn = await store.settle(due, lane, attempt, outcome);
    metrics?.webhookDuration.observe({ outcome: outcome.status }, attempt.durationMs / 1000);
    const told = {
      webhook: lane.webhookId,
      delivery: due.id,
      event: due.event,
      attempt: due.attempt + 1,
      status: attempt.status,
      error: attempt.error,
    };
    if (outcome.status === DeliveryStatus.DELIVERED) log.debug(told, 'delivered');
    else log.info({ ...told, next: outcome.nextAttemptAt }, 'a delivery failed');
    return mayGoOn;
  }
}

function outcomeOf(attempt: Attempt, made: number, now: Date): Outcome {
  if (isSuccess(attempt)) return { status: DeliveryStatus.DELIVERED, nextAttemptAt: null, isGone: false };
  if (attempt.status === GONE) return { status: DeliveryStatus.EXHAUSTED, nextAttemptAt: null, isGone: true };
  const pauseMs = pauseAfter(made, attempt.retryAfterMs);
  if (pauseMs === undefined) return { status: DeliveryStatus.EXHAUSTED, nextAttemptAt: null, isGone: false };
  return { status: DeliveryStatus.FAILED, nextAttemptAt: new Date(now.getTime() + pauseMs), isGone: false };
}
