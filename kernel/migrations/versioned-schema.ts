import type { Logger } from '../log/log.ts';
import type { Scratch } from './scratch.ts';
import type { Session } from './session.ts';

/** A schema that may be older than this release needs, and that this process can upgrade. */
export interface VersionedSchema {
  readonly schema: string;
  /**
   * Inspects without changing anything. Returns undefined if the schema is as this release needs it.
   * @throws SchemaError if this release cannot work with it, and no upgrade helps
   */
  inspect(session: Session): Promise<SchemaUpgrade | undefined>;
}

/** An upgrade of a schema. */
export interface SchemaUpgrade {
  schema: string;
  /** Names of steps: the version of the database, and the one that this release needs. */
  from: string;
  to: string;
  /**
   * Checks the schema in detail before anything is changed.
   * @throws SchemaError
   */
  verify?(session: Session, scratch: Scratch): Promise<void>;
  apply(session: Session, log: Logger): Promise<void>;
}
