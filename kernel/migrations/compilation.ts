import type { Logger } from '../log/log.ts';
import type { Session } from './session.ts';

/**
 * Id of the advisory lock that a process holds while it changes the setting `jit`: an arbitrary number, the same in
 * every release. Without the lock, one of two processes that change the setting at the same time would fail.
 */
const COMPILATION_LOCK = 4_201_003;

/**
 * Turns off statement compilation (`jit`) for all future sessions of this database, including sessions through a pooler
 * that forwards no settings. If the database user may not alter the database, only its own sessions are affected. The
 * statements of the platform are short: compiling one takes longer than running it a hundred times. A value of `jit`
 * that an administrator has set for the database or the role is not changed.
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
    // the setting of the database applies to all roles, but only the owner may change it; every role may change its own
    // setting
    await act(`database ${found.database}`).catch(() => act(`role current_user in database ${found.database}`));
  } catch (error) {
    log.warn(
      { err: error },
      'PostgreSQL compiles statements (jit), which makes short ones slow, and the database user may not turn this off. See docs/operations.md.',
    );
  }
}
