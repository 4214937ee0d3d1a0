/**
 * A sequence of records of all organizations. Each record has a position. Records become visible in the order of their
 * positions, so that readers miss no record. When a record changes, it may move to a later position.
 */
export interface Feed<T, S extends Selection<T>> {
  /** Returns the position of the last record; 0 if the feed is empty. */
  head(): Promise<number>;
  /** Returns the first records after `position`, of all organizations, in increasing order of position. */
  after(position: number, limit: number): Promise<T[]>;
  /** Returns an SQL query that returns a row if there is a record after a position. `position` is an SQL expression. */
  newer(position: string): string;
  /** Returns the selected records of one organization in a range, in increasing order of position. */
  range(selection: S, range: Range): Promise<T[]>;
  positionOf(record: T): number;
}

/** Filter of a subscriber: selects records of one organization. */
export interface Selection<T> {
  readonly organizationId: string;
  covers(record: T): boolean;
}

/** Range of positions: `after` is exclusive, `upTo` inclusive. */
export interface Range {
  after: number;
  upTo: number;
  limit: number;
}
