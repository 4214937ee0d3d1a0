import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite, type PGliteOptions, protocol, type QueryOptions, type Results, type Transaction } from '@electric-sql/pglite';

/** Maximum number of prepared statements. The database keeps the plan of each statement in memory. */
const MAX_PREPARED = 300;
/** Maximum number of recent statement texts to store. A text that is executed a second time is prepared. */
const MAX_SEEN = 500;
/**
 * Maximum number of characters of a prepared statement. Longer statements contain the values that they write, and are
 * not repeated.
 */
const MAX_PREPARED_LENGTH = 5_000;
/**
 * Matches statements that can be prepared. Other statements, such as ALTER TABLE, may invalidate prepared statements.
 */
const PREPARABLE = /^\s*(?:select|insert|update|delete|with)\b/i;
/**
 * Maximum time for which statements block the event loop. The database runs in this thread and responds without leaving it. So a task that
 * executes one statement after the other would delay the network and all timers.
 */
const MAX_TURN_MS = 20;

type Serialize = (value: unknown) => string;
type Parse = (value: string, oid: number) => unknown;

/** The result columns of a statement. */
interface Columns {
  fields: Results['fields'];
  parsers: readonly (Parse | undefined)[];
}

interface Prepared extends Columns {
  name: string;
  /** The serializer of each parameter, by position. Undefined for parameters that are sent as text. */
  serializers: readonly (Serialize | undefined)[];
}

/**
 * The embedded database with prepared statements. PGlite itself parses, describes and plans a statement at each execution, in six round
 * trips. This class binds and executes a repeated statement in one round trip, which takes a fifth of the time. PGlite is a single session,
 * so prepared statements remain until a table is altered. This class detects altered tables. A statement without parameters takes one round
 * trip even the first time. The statements of the ORM have no parameters, because their text contains the values.
 */
export class EmbeddedDatabase extends PGlite {
  readonly #prepared = new Map<string, Prepared>();
  /**
   * Names of prepared statements that are no longer used. The database closes these statements when the next statement
   * is prepared.
   */
  #left: string[] = [];
  #count = 0;
  /** Texts of recent statements that were executed without being prepared. */
  readonly #seen = new Set<string>();
  #turnAt = 0;

  /**
   * Opens the database in a folder.
   * @throws Error if the folder cannot be opened
   */
  static async open(options: PGliteOptions): Promise<EmbeddedDatabase> {
    const database = new EmbeddedDatabase(options);
    await database.waitReady;
    return database;
  }

  override async query<T>(text: string, values: unknown[] = [], options?: QueryOptions): Promise<Results<T>> {
    await this.#giveWay();
    if (!this.#isPreparable(text, options)) return super.query<T>(text, values, options).finally(() => this.#forgetAll(text));
    await this._checkReady();
    return this._runExclusiveTransaction(async () => {
      const results = await this.#run<T>(text, values, options);
      await this.syncToFs();
      return results;
    });
  }

  override async exec(text: string, options?: QueryOptions): Promise<Results[]> {
    if (!text.includes(';') && this.#isPreparable(text, options)) return [await this.query(text, [], options)];
    return super.exec(text, options).finally(() => this.#forgetAll(text));
  }

  override async transaction<T>(callback: (tx: Transaction) => Promise<T>): Promise<T> {
    await this.#giveWay();
    return super.transaction((tx) => callback(this.#preparing(tx)));
  }

  /** Lets requests arrive and timers run if statements have blocked the thread for longer than `MAX_TURN_MS`. */
  async #giveWay(): Promise<void> {
    if (performance.now() - this.#turnAt < MAX_TURN_MS) return;
    await nextTurn();
    this.#turnAt = performance.now();
  }

  #preparing(tx: Transaction): Transaction {
    const query = async <T>(text: string, values: unknown[] = [], options?: QueryOptions): Promise<Results<T>> => {
      if (!tx.closed && this.#isPreparable(text, options)) return this.#run<T>(text, values, options);
      return tx.query<T>(text, values, options).finally(() => this.#forgetAll(text));
    };
    const exec = async (text: string, options?: QueryOptions): Promise<Results[]> =>
      tx.exec(text, options).finally(() => this.#forgetAll(text));
    return Object.create(tx, { query: { value: query }, exec: { value: exec } });
  }

  #isPreparable(text: string, { rowMode, ...others }: QueryOptions = {}): boolean {
    return PREPARABLE.test(text) && Object.keys(others).length === 0;
  }

  #run<T>(text: string, values: unknown[], options?: QueryOptions): Promise<Results<T>> {
    return this._runExclusiveQuery(async () => {
      const { parse, bind, describe, execute, sync } = protocol.serialize;
      const isArray = options?.rowMode === 'array';
      const known = this.#prepared.get(text);
      if (!known && values.length === 0 && this.#isNew(text)) {
        const messages = await this.#send(parse({ text }), bind({}), describe({ type: 'P' }), execute({}), sync());
        return resultsOf<T>(this.#columnsOf(messages), messages, isArray);
      }
      const prepared = known ?? (await this.#prepare(text));
      // moves the statement to the end of the map, where the most recently used statement is
      this.#prepared.delete(text);
      this.#prepared.set(text, prepared);
      const { name, serializers } = prepared;
      const bound = values.map((value, index) => textOf(value, serializers[index]));
      const messages = await this.#send(bind({ statement: name, values: bound }), execute({}), sync());
      return resultsOf<T>(prepared, messages, isArray);
    });
  }

  /** Returns true if a statement was not executed recently, or is too long to be prepared. */
  #isNew(text: string): boolean {
    if (text.length > MAX_PREPARED_LENGTH) return true;
    if (this.#seen.delete(text)) return false;
    if (this.#seen.size === MAX_SEEN) this.#seen.clear();
    this.#seen.add(text);
    return true;
  }

  async #prepare(text: string): Promise<Prepared> {
    const { parse, describe, sync } = protocol.serialize;
    this.#count += 1;
    const name = `p${this.#count}`;
    const messages = await this.#send(...this.#makeRoom(), parse({ name, text }), describe({ type: 'S', name }), sync());
    const parameters = messages.find((message) => message instanceof protocol.messages.ParameterDescriptionMessage);
    return { name, serializers: parameters?.dataTypeIDs.map((oid) => this.serializers[oid]) ?? [], ...this.#columnsOf(messages) };
  }

  #columnsOf(messages: readonly object[]): Columns {
    const row = messages.find((message) => message instanceof protocol.messages.RowDescriptionMessage);
    const fields = row?.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })) ?? [];
    return { fields, parsers: fields.map(({ dataTypeID }) => this.parsers[dataTypeID] as Parse | undefined) };
  }

  /**
   * Removes the least recently used statement if the maximum is reached. Returns the messages that close all removed
   * statements.
   */
  #makeRoom(): Uint8Array[] {
    const [oldest] = this.#prepared.keys();
    if (oldest !== undefined && this.#prepared.size === MAX_PREPARED) this.#forget(oldest);
    return this.#left.splice(0).map((name) => protocol.serialize.close({ type: 'S', name }));
  }

  /**
   * Removes all prepared statements if `text` may have altered a table or discarded prepared statements. After ALTER
   * TABLE, a prepared statement could return other columns. Each statement is prepared again, under a new name, at its
   * next use. After other changes, PostgreSQL itself updates the plans of prepared statements.
   */
  #forgetAll(text: string): void {
    if (/\b(?:alter|drop|deallocate|discard)\b/i.test(text)) for (const known of this.#prepared.keys()) this.#forget(known);
  }

  #forget(text: string): void {
    this.#left.push((this.#prepared.get(text) as Prepared).name);
    this.#prepared.delete(text);
  }

  #send(...messages: Uint8Array[]): ReturnType<PGlite['execProtocolStream']> {
    return this.execProtocolStream(Buffer.concat(messages), { syncToFs: false });
  }
}

function textOf(value: unknown, serialize: Serialize | undefined): string | null {
  if (value === null || value === undefined) return null;
  return serialize ? serialize(value) : String(value);
}

function resultsOf<T>({ fields, parsers }: Columns, messages: readonly object[], isArray: boolean): Results<T> {
  const rows: unknown[] = [];
  let affectedRows = 0;
  for (const message of messages) {
    if (message instanceof protocol.messages.DataRowMessage) {
      const values = message.fields.map((value, index) => {
        const parse = parsers[index];
        return value === null || !parse ? value : parse(value, (fields[index] as { dataTypeID: number }).dataTypeID);
      });
      rows.push(isArray ? values : Object.fromEntries(values.map((value, index) => [fields[index]?.name, value])));
    } else if (message instanceof protocol.messages.CommandCompleteMessage && !message.text.startsWith('SELECT')) {
      affectedRows = Number(message.text.split(' ').at(-1));
    }
  }
  return { rows: rows as T[], fields, affectedRows };
}
