import type { EventRecord } from './event.entity.ts';

const CAPACITY = 1_000;

/**
 * Cache of the newest events that this process has read from the log. A subscriber that is notified of an event usually
 * reads the event immediately. Events never change, so entries are never stale.
 */
export class RecentEvents {
  readonly #events = new Map<string, EventRecord>();

  keep(events: readonly EventRecord[]): void {
    for (const event of events) if (!this.#events.has(event.id)) this.#events.set(event.id, event);
    for (const id of this.#events.keys()) {
      if (this.#events.size <= CAPACITY) return;
      this.#events.delete(id);
    }
  }

  /** Returns an event of any organization. */
  get(id: string): EventRecord | undefined {
    return this.#events.get(id);
  }

  find(organizationId: string, id: string): EventRecord | undefined {
    const event = this.get(id);
    return event?.organizationId === organizationId ? event : undefined;
  }
}
