import type { Logger } from '../log/log.ts';
import type { Scratch } from './scratch.ts';
import type { Session } from './session.ts';

/** A schema that this process may find older than its release needs, and can bring up to date. */
export interface VersionedSchema {
  readonly schema: string;
  /**
   * Looks, and changes nothing. Undefined where the schema is as this release needs it.
   * @throws SchemaError where this release cannot work with it, and no upgrade helps
   */
  inspect(session: Session): Promise<SchemaUpgrade | undefined>;
}

/** What brings a schema up to date. */
export interface SchemaUpgrade {
  schema: string;
  /** The version that the database has, and the one that this release needs: names of steps. */
  from: string;
  to: string;
  /** Looks closer, before anything is changed. @throws SchemaError */
  verify?(session: Session, scratch: Scratch): Promise<void>;
  apply(session: Session, log: Logger): Promise<void>;
}
