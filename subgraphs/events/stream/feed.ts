/**
 * What can be followed: records of all organizations, each at a position. They become readable in the order of their
 * positions, so that who follows misses none. A record that changes may move on to a later position.
 */
export interface Feed<T, S extends Selection<T>> {
  /** The position of the last record; 0 where there is none. */
  head(): Promise<number>;
  /** The next records of all organizations, in order. */
  after(position: number, limit: number): Promise<T[]>;
  /** SQL that selects something where there is a record after a position, which is an expression. */
  newer(position: string): string;
  /** The records that a selection covers, in order. */
  range(selection: S, range: Range): Promise<T[]>;
  positionOf(record: T): number;
}

/** Which records of its organization a subscriber wants. */
export interface Selection<T> {
  readonly organizationId: string;
  covers(record: T): boolean;
}

/** Positions, after the first and up to and with the second. */
export interface Range {
  after: number;
  upTo: number;
  limit: number;
}
