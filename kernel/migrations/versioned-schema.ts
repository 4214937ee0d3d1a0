import type { Logger } from '../log/log.ts';
import type { Scratch } from './scratch.ts';
import type { Session } from './session.ts';

/** A schema with a version. If the version is older than this release requires, this process can upgrade the schema. */
export interface VersionedSchema {
  readonly schema: string;
  /**
   * Compares the schema with this release, and changes nothing. Returns undefined if no upgrade is needed.
   * @throws SchemaError if this release cannot work with the schema, even after an upgrade
   */
  inspect(session: Session): Promise<SchemaUpgrade | undefined>;
}

/** The changes that bring a schema to the version that this release requires. */
export interface SchemaUpgrade {
  schema: string;
  /**
   * The version of the schema before (`from`) and after (`to`) the upgrade, such as the name of the newest migration
   * step.
   */
  from: string;
  to: string;
  /**
   * Checks the schema in detail before anything is changed.
   * @throws SchemaError if this release cannot work with the schema
   */
  verify?(session: Session, scratch: Scratch): Promise<void>;
  apply(session: Session, log: Logger): Promise<void>;
}
