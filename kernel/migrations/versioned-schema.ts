import type { Logger } from '../log/log.ts';
import type { Scratch } from './scratch.ts';
import type { Session } from './session.ts';

/** A schema that may be older than this release needs. This process can upgrade it. */
export interface VersionedSchema {
  readonly schema: string;
  /**
   * Compares the schema with this release, and changes nothing. Returns undefined if no upgrade is needed.
   * @throws SchemaError if this release cannot work with the schema, even after an upgrade
   */
  inspect(session: Session): Promise<SchemaUpgrade | undefined>;
}

/** An upgrade of a schema. */
export interface SchemaUpgrade {
  schema: string;
  /** Names of the migration steps of the database (`from`) and of this release (`to`). */
  from: string;
  to: string;
  /**
   * Checks the schema in detail before anything is changed.
   * @throws SchemaError if this release cannot work with the schema
   */
  verify?(session: Session, scratch: Scratch): Promise<void>;
  apply(session: Session, log: Logger): Promise<void>;
}
