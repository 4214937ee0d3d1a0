import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/log.ts';
import { describeSchema, differences } from './catalog.ts';
import { type AppliedStep, pendingSteps } from './history.ts';
import type { MigrationStep } from './migration.ts';
import { SchemaError } from './schema-error.ts';
import type { Scratch } from './scratch.ts';
import type { Session, Statements } from './session.ts';
import type { SchemaUpgrade, VersionedSchema } from './versioned-schema.ts';

/** Maximum number of differences that an error lists. */
const NAMED = 5;
/**
 * Time for which a migration statement waits for the lock of a table. Every later statement on the table waits behind it. So the step fails
 * after this time and is tried again.
 */
const LOCK_TIMEOUT_MS = 3_000;
const LOCK_ATTEMPTS = 20;
const LOCK_PAUSE_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** A schema that migration steps create. Its table `migration` lists the applied steps with their checksums. */
export class SteppedSchema implements VersionedSchema {
  constructor(
    readonly schema: string,
    private readonly steps: readonly MigrationStep[],
  ) {}

  async inspect(session: Session): Promise<SchemaUpgrade | undefined> {
    const { schema } = this;
    const applied = await this.#applied(session);
    // another component creates the tables of a schema without steps
    if (this.steps.length === 0) return (await exists(session, schema)) ? undefined : this.#upgrade([], [], []);
    const pending = pendingSteps(schema, this.steps, applied);
    const adopted = this.steps.filter(({ name }) => applied.some((one) => one.name === name && one.checksum === null));
    return pending.length + adopted.length > 0 ? this.#upgrade(applied, pending, adopted) : undefined;
  }

  #upgrade(applied: readonly AppliedStep[], pending: readonly MigrationStep[], adopted: readonly MigrationStep[]): SchemaUpgrade {
    const { schema } = this;
    const newest = applied.at(-1)?.name;
    return {
      schema,
      from: newest ? `${newest}${adopted.length > 0 ? ' without checksums' : ''}` : 'nothing',
      to: this.steps.at(-1)?.name ?? 'an empty schema',
      verify: async (session, scratch) => {
        if (adopted.length > 0) await this.#verifyAdopted(session, scratch, adopted);
      },
      apply: async (session, log) => {
        await session.transaction((tx) => this.#prepare(tx, adopted));
        for (const step of pending) {
          await this.#applyStep(session, step, log);
          log.info({ schema, step: step.name }, 'Migration applied');
        }
      },
    };
  }

  /**
   * Returns the applied steps. The query also works if an early release created the table `migration`, without the
   * columns `checksum` and `needs`.
   */
  async #applied(session: Session): Promise<AppliedStep[]> {
    const table = `"${this.schema}"."migration"`;
    const [found] = await session.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table]);
    if (!found?.there) return [];
    return session.query<AppliedStep>(
      `select m.name, to_jsonb(m) ->> 'checksum' as checksum, to_jsonb(m) ->> 'needs' as needs from ${table} m order by m.name`,
    );
  }

  /**
   * Checks applied steps that have no checksum. The releases that applied them could still edit a step later, so its name does not prove
   * its content. The schema is accepted if its objects match the objects that these steps create in this release.
   * @throws SchemaError if the schema differs
   */
  async #verifyAdopted(session: Session, scratch: Scratch, adopted: readonly MigrationStep[]): Promise<void> {
    const { schema } = this;
    const example = await scratch.session();
    await example.execute(`create schema "${schema}"`);
    for (const { statements } of adopted) for (const statement of statements) await example.execute(statement);
    const [expected, actual] = await Promise.all([describe(example, schema), describe(session, schema)]);
    const found = differences(expected, actual);
    if (found.length === 0) return;
    const named = found.slice(0, NAMED).join(', ');
    const more = found.length > NAMED ? `, and ${found.length - NAMED} more` : '';
    throw new SchemaError(
      `The schema ${schema} of this database differs from the result of its applied steps (up to ${adopted.at(-1)?.name}): ${named}${more}. A development version whose steps were changed later created it; it cannot be upgraded. See Upgrade in docs/operations.md.`,
    );
  }

  async #prepare(tx: Statements, adopted: readonly MigrationStep[]): Promise<void> {
    const { schema } = this;
    // checked first, because `create schema if not exists` needs the right to create schemas even if the schema exists
    if (!(await exists(tx, schema))) await tx.execute(`create schema "${schema}"`);
    if (this.steps.length === 0) return;
    await tx.execute(MIGRATION_TABLE(schema));
    for (const step of adopted) {
      const values = [step.name, step.checksum, step.needs ?? null];
      await tx.query(`update "${schema}"."migration" set checksum = $2, needs = $3 where name = $1`, values);
    }
  }

  async #applyStep(session: Session, step: MigrationStep, log: Logger): Promise<void> {
    const { schema } = this;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await session.transaction(async (tx) => {
          await tx.execute(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
          for (const statement of step.statements) await tx.execute(statement);
          const values = [step.name, step.checksum, step.needs ?? null];
          await tx.query(`insert into "${schema}"."migration" (name, checksum, needs) values ($1, $2, $3)`, values);
        });
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || attempt === LOCK_ATTEMPTS) throw failed(error, schema, step.name);
        log.warn({ schema, step: step.name, attempt }, 'A migration waits for a table that is in use');
        await delay(LOCK_PAUSE_MS);
      }
    }
  }
}

/**
 * Returns SQL that creates the table `migration` with the columns that MikroORM gave it in earlier releases, because
 * processes of those releases still read the table. The SQL also adds the columns `checksum` and `needs`.
 */
const MIGRATION_TABLE = (schema: string): string => `
  create table if not exists "${schema}"."migration" (
    "id" serial primary key,
    "name" varchar(255) not null,
    "executed_at" timestamptz not null default current_timestamp
  );
  alter table "${schema}"."migration" add column if not exists "checksum" text null, add column if not exists "needs" text null`;

async function exists(statements: Statements, schema: string): Promise<boolean> {
  const [found] = await statements.query<{ there: boolean }>('select to_regnamespace(quote_ident($1)) is not null as there', [schema]);
  return found?.there === true;
}

/** Lists the objects of a schema. The search path is fixed, because names in definitions depend on it. */
const describe = (session: Session, schema: string) =>
  session.transaction(async (tx) => {
    await tx.execute('set local search_path = public');
    return describeSchema(tx, schema);
  });

/**
 * Adds the name of the step to an error in one of its statements. Errors about lost connections and missing rights are
 * returned unchanged.
 */
function failed(error: unknown, schema: string, step: string): unknown {
  const { code = '', message } = error as { code?: string; message?: string };
  if (!/^[0-9A-Z]{5}$/.test(code) || code === '42501' || /^(08|53|57)/.test(code)) return error;
  return new SchemaError(`The step ${step} of the schema ${schema} failed and was rolled back: ${message}.`, { cause: error });
}
