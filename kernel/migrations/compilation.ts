import type { Logger } from '../log/log.ts';
import type { Session } from './session.ts';

/** Any number, the same in every release: two processes that set it at once would fail each other. */
const COMPILATION_LOCK = 4_201_003;

/**
 * Has PostgreSQL run statements without compiling them (jit) first, for every session of this database from now on, also behind a
 * connection pooler, which takes no settings. Ours are short: compiling one takes longer than running it a hundred times. What somebody
 * has set for the database or the role is left as it is.
 */
export async function stopCompiling(session: Session, log: Logger): Promise<void> {
  const [found] = await session.query<{ unset: boolean; database: string }>(
    `select setting = 'on' and source in ('default', 'configuration file') as unset, quote_ident(current_database()) as database
     from pg_settings where name = 'jit'`,
  );
  if (!found?.unset) return;
  const act = (target: string) =>
    session.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [COMPILATION_LOCK]);
      await tx.execute(`alter ${target} set jit = off`);
    });
  try {
    // of the database it holds for whoever connects, but only its owner may; of itself every role may
    await act(`database ${found.database}`).catch(() => act(`role current_user in database ${found.database}`));
  } catch (error) {
    log.warn(
      { err: error },
      'PostgreSQL compiles statements (jit), which makes short ones slow, and refuses to have that set. See docs/operations.md.',
    );
  }
}
