import { type AnalyticsRange, analyticsRange } from './analytics-scope.ts';

/**
 * Reads figures of analyses in one request. Fields of a query that select the same figures several times share one read, so
 * that a query cannot multiply its work by aliases.
 */
export class AnalyticsReads<T> {
  readonly #found = new Map<string, Promise<T>>();

  constructor(private readonly read: (range: AnalyticsRange) => Promise<T>) {}

  of(id: string): Promise<T> {
    const known = this.#found.get(id) ?? this.read(analyticsRange(id));
    this.#found.set(id, known);
    return known;
  }
}
