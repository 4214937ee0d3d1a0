import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Database, Rows } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { ChartStore } from '../charts/chart.store.ts';
import { MAX_AGE_MS } from '../ingest/sample.rules.ts';
import { LiveMessages } from '../live/live-messages.ts';
import { LivePoll } from '../live/live-poll.ts';
import type { Labels } from '../series/series.ts';
import { LiveSampleStore, type NewSamples, type SeenSample, type Snapshot } from './live-sample.store.ts';
import { BACK_MINUTES, type LiveSeries, type MetricSamples, SAMPLES_MAX, SERIES_MAX } from './live-sample.types.ts';

/** Time between two searches for new series of a subscription. */
const SEARCH_MS = 15_000;
/**
 * Time between two searches for late samples: those that are older than one that was already sent. The search reads all samples of the
 * last minutes, so it is done less often than that for new samples.
 */
const LATE_MS = 5_000;
/** Matching series are counted up to this number. */
const COUNTED_MAX = 1_000;

export interface SampleFollowerDeps {
  rows: Rows;
  database: Database;
  clock: Clock;
  log: Logger;
}

/** The series that a subscriber selects. */
export interface SelectedSeries extends RecordScope {
  names: readonly string[];
  serviceId: string | null;
  labels: Labels;
}

export interface FollowOptions {
  everySeconds: number;
  /** `position` of the last message. Null: from the last 15 minutes on. */
  after: string | null;
}

/** Passes new samples to subscribers, those of all processes. All subscribers of a process share one read a second. */
export class SampleFollower {
  readonly #store: LiveSampleStore;
  readonly #poll: LivePoll;
  readonly #subscribers = new Set<Subscriber>();
  /** The snapshots of the reads since the last search for late samples, oldest first. The first one was the last one before that search. */
  #reads: Snapshot[] = [];
  #searchedAt = 0;

  constructor(private readonly deps: SampleFollowerDeps) {
    this.#store = new LiveSampleStore(deps.rows);
    this.#poll = new LivePoll({
      ...deps,
      name: 'monitoring.live-samples',
      isWanted: () => this.#subscribers.size > 0,
      read: () => this.#read(),
    });
  }

  /** @throws InvalidParameters if `after` is not a position */
  async follow(selected: SelectedSeries, { everySeconds, after }: FollowOptions): Promise<AsyncIterableIterator<MetricSamples>> {
    const start = startOf(after, this.deps.clock.now().getTime());
    const subscriber = new Subscriber(selected, start, everySeconds * 1000, () => this.#subscribers.delete(subscriber));
    await this.#search(subscriber);
    if (this.#subscribers.size === 0) this.#reads = [];
    this.#subscribers.add(subscriber);
    return subscriber.messages;
  }

  start(): void {
    this.#poll.start();
  }

  async stop(): Promise<void> {
    for (const { messages } of [...this.#subscribers]) await messages.return();
    await this.#poll.stop();
  }

  async #read(): Promise<void> {
    const now = this.deps.clock.now().getTime();
    // a subscriber that comes during the read may need more than is read
    const subscribers = [...this.#subscribers];
    for (const subscriber of subscribers) if (subscriber.isOutdated()) await this.#search(subscriber);
    // of each series, what the subscriber with the earliest position needs
    const positions = positionsOf(subscribers, Math.min);
    if (positions.size === 0) return;
    const { snapshot, found } = await this.#store.after(positions);
    this.#reads.push(snapshot);
    for (const subscriber of subscribers) subscriber.add(found, now);
    if (performance.now() - this.#searchedAt < LATE_MS) return;
    await this.#addLate(subscribers, now);
    this.#reads = this.#reads.slice(-1);
    this.#searchedAt = performance.now();
  }

  /** Passes on the samples of the last minutes that were stored after newer ones had been read. */
  async #addLate(subscribers: readonly Subscriber[], now: number): Promise<void> {
    const since = new Date(now - BACK_MINUTES * MINUTE_MS);
    const found = await this.#store.storedBetween(positionsOf(subscribers, Math.max), this.#reads, since);
    for (const subscriber of subscribers) subscriber.addLate(found, this.#reads.length);
  }

  /** Finds the series that a subscriber selects, such as those that began after its subscription. */
  async #search(subscriber: Subscriber): Promise<void> {
    const { names, serviceId, labels, ...scope } = subscriber.selected;
    const store = new ChartStore(this.deps.rows, scope);
    const metrics = await store.metrics(names);
    const nameOf = new Map(metrics.map(({ id, name }) => [id, name]));
    const series =
      metrics.length > 0 ? await store.series([...nameOf.keys()], serviceId === null ? null : [serviceId], labels, COUNTED_MAX) : [];
    subscriber.follow(
      series.map(({ id, metric_id: metricId, service_id, labels: its }) => ({
        id,
        described: { name: nameOf.get(metricId) ?? '', serviceId: service_id, labels: its },
      })),
    );
  }
}

/** Returns one position for each followed series: the earliest or the latest one of all subscribers. */
function positionsOf(subscribers: readonly Subscriber[], choose: (one: number, other: number) => number): Map<number, number> {
  const positions = new Map<number, number>();
  for (const one of subscribers)
    for (const [id, position] of one.positions) positions.set(id, choose(position, positions.get(id) ?? position));
  return positions;
}

interface FollowedSeries {
  id: number;
  described: Pick<LiveSeries, 'name' | 'serviceId' | 'labels'>;
}

/** Times after which a subscription reads samples: one time for each series that it followed before, and one for all other series. */
interface Start {
  known: ReadonlyMap<number, number>;
  others: number;
  gapSince: Date | null;
}

/** A subscriber, with the samples that wait for its next message. */
class Subscriber {
  readonly messages: LiveMessages<MetricSamples>;
  /** The time of the newest sample of each series that was read, in milliseconds since 1970. */
  readonly positions = new Map<number, number>();
  /** The positions after each of the last reads. It has fewer entries than there were reads if the subscriber came in between. */
  #past: ReadonlyMap<number, number>[] = [];
  readonly #described = new Map<number, FollowedSeries['described']>();
  #waiting = new Map<number, { samples: NewSamples['samples']; omitted: number }>();
  #searched = 0;
  #total = 0;
  #readAt = 0;
  #gapSince: Date | null;

  constructor(
    readonly selected: SelectedSeries,
    private readonly start: Start,
    everyMs: number,
    left: () => void,
  ) {
    this.#gapSince = start.gapSince;
    this.messages = new LiveMessages(() => this.#take(), left, everyMs);
  }

  isOutdated(): boolean {
    return performance.now() - this.#searched > SEARCH_MS;
  }

  follow(series: readonly FollowedSeries[]): void {
    this.#searched = performance.now();
    this.#total = series.length;
    // series that are followed stay, so that no sample of them is missed
    for (const { id, described } of series) {
      if (this.positions.has(id) || this.positions.size >= SERIES_MAX) continue;
      this.#described.set(id, described);
      this.positions.set(id, this.start.known.get(id) ?? this.start.others);
    }
  }

  add(found: ReadonlyMap<number, NewSamples>, readAt: number): void {
    this.#readAt = readAt;
    for (const [id, position] of this.positions) {
      const { samples = [], total = 0 } = found.get(id) ?? {};
      const fresh = samples.filter(({ at }) => at.getTime() > position);
      const last = fresh.at(-1);
      if (!last) continue;
      // if all samples that were read are new, there may be older ones that are new too
      const unread = fresh.length === samples.length ? total - samples.length : 0;
      this.#wait(id, fresh, unread);
      this.positions.set(id, last.at.getTime());
    }
    this.#past.push(new Map(this.positions));
    if (this.#waiting.size > 0) this.messages.notify();
  }

  /** Adds the samples that were stored during the last `reads` reads, but only after a newer one had been read. */
  addLate(found: ReadonlyMap<number, readonly SeenSample[]>, reads: number): void {
    const first = reads - this.#past.length;
    for (const [id, samples] of found) {
      // the read that has seen a sample has sent it if it is newer than the position before that read
      const late = samples.filter(({ at, read }) => at.getTime() <= (this.#past[read - 1 - first]?.get(id) ?? Number.NEGATIVE_INFINITY));
      if (late.length > 0) this.#wait(id, late, 0);
    }
    this.#past = this.#past.slice(-1);
    if (this.#waiting.size > 0) this.messages.notify();
  }

  #wait(id: number, added: NewSamples['samples'], unread: number): void {
    const { samples: before = [], omitted = 0 } = this.#waiting.get(id) ?? {};
    const all = [...before, ...added.map(({ at, value }) => ({ at, value }))].toSorted(
      (one, other) => one.at.getTime() - other.at.getTime(),
    );
    this.#waiting.set(id, { samples: all.slice(-SAMPLES_MAX), omitted: omitted + unread + Math.max(0, all.length - SAMPLES_MAX) });
  }

  #take(): MetricSamples | undefined {
    if (this.#waiting.size === 0) return undefined;
    const series = [...this.#waiting].flatMap(([id, waiting]) => {
      const described = this.#described.get(id);
      return described ? [{ ...described, ...waiting }] : [];
    });
    const message = { series, seriesTotal: this.#total, gapSince: this.#gapSince, position: encode(this.#readAt, this.positions) };
    this.#waiting = new Map();
    this.#gapSince = null;
    return message;
  }
}

/** A position has the time of the last read, and the time of the newest sample of each series. */
const encode = (readAt: number, positions: ReadonlyMap<number, number>): string =>
  Buffer.from(JSON.stringify([readAt, ...[...positions].map(([id, at]) => [id, readAt - at])])).toString('base64url');

/** Returns where a subscription begins. A position before the last 15 minutes is moved to them. */
function startOf(after: string | null, now: number): Start {
  const earliest = now - BACK_MINUTES * MINUTE_MS;
  if (after === null) return { known: new Map(), others: earliest, gapSince: null };
  const [readAt, entries] = decode(after);
  const hasGap = readAt < earliest;
  // samples that are older than an hour cannot have come since
  const oldest = hasGap ? earliest : readAt - MAX_AGE_MS;
  const known = new Map(entries.map(([id, at]) => [id, Math.max(at, oldest)]));
  return { known, others: Math.max(readAt, earliest), gapSince: hasGap ? new Date(readAt) : null };
}

function decode(after: string): [readAt: number, entries: [id: number, at: number][]] {
  try {
    const [readAt, ...entries] = JSON.parse(Buffer.from(after, 'base64url').toString()) as unknown[];
    const isTime = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) < Date.UTC(9999, 0);
    const read = entries.map((entry): [number, number] => {
      const [id, at] = entry as unknown[];
      if (!isTime(readAt) || !isTime(at) || !Number.isInteger(id)) throw new Error('no position');
      return [id as number, readAt - at];
    });
    if (isTime(readAt) && read.length <= SERIES_MAX) return [readAt, read];
  } catch {
    // an unreadable position gets the same error as one of another kind
  }
  throw new InvalidParameters([
    { field: 'after', value: after, reason: 'is not a position of this subscription. Subscribe again without it' },
  ]);
}
