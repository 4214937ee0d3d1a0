import type { EventRecord } from './event.entity.ts';

const CAPACITY = 1_000;

/**
 * The events that happened last, as this process followed them: who is told of one reads it at once, and so do all others. An
 * event never changes, so what is kept here is never old.
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

  find(organizationId: string, id: string): EventRecord | undefined {
    const event = this.#events.get(id);
    return event?.organizationId === organizationId ? event : undefined;
  }
}
