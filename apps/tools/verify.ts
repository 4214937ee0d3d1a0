import type { ConfigSource } from '../../kernel/settings/config.ts';
import type { EventRecord } from '../../subgraphs/events/log/event.entity.ts';
import type { Store } from '../platform/databases.ts';
import type { Stores } from '../platform/stores.ts';
import { openOffline } from './offline.ts';
import type { MaintenanceOptions } from './reencrypt.ts';

/** Maximum number of problems that are listed. All problems are counted. */
const SHOWN_MAX = 1_000;
const PROGRESS_EVENTS = 50_000;

/**
 * Checks the event log and the outboxes. Also checks that the organization and the account of each event exist. Returns
 * false if a check finds a problem.
 */
export async function verify(settings: ConfigSource, { tell }: Pick<MaintenanceOptions, 'tell'>): Promise<boolean> {
  await using offline = await openOffline(settings);
  const { domains, stores } = offline.assembly;
  let problems = 0;
  const problem = (line: string): void => {
    problems += 1;
    if (problems <= SHOWN_MAX) tell(`  ${line}`);
  };
  for (const line of await stuckIn(stores)) problem(line);
  let read = 0;
  const { events, gaps } = await domains.events.verification.run({
    problem,
    async batch(batch) {
      for (const line of await strangersIn(stores.identity, batch)) problem(line);
      if (Math.floor((read + batch.length) / PROGRESS_EVENTS) > Math.floor(read / PROGRESS_EVENTS))
        tell(`  ${read + batch.length} events …`);
      read += batch.length;
    },
  });
  tell(`${events} events were verified: ${problems === 0 ? 'no problems' : `${problems} problems`}.`);
  if (gaps > 0) tell(`${gaps} sequence numbers are unused, because transactions were rolled back.`);
  return problems === 0;
}

/**
 * Finds events that are still in an outbox although later events were relayed. It is no problem if all new events are
 * still in the outbox, because the platform may not be running.
 */
async function stuckIn(stores: Stores): Promise<string[]> {
  const lines: string[] = [];
  const [log] = await stores.events.rows.query<{ last: Date | null }>('select max("occurred_at") as last from "events"."event_log"', []);
  if (!log?.last) return lines;
  for (const { schema, rows } of Object.values(stores) as Store[]) {
    const stuck = await rows.query<{ id: string; event: string }>(
      `select "id", "event" from "${schema}"."outbox" where coalesce("recorded_at", "occurred_at") < $1::timestamptz - interval '1 minute'
       order by "sequence" limit ${SHOWN_MAX}`,
      [log.last],
    );
    lines.push(...stuck.map(({ id, event }) => `event ${id} (${event}) of the outbox of ${schema} was never relayed to the log`));
  }
  return lines;
}

/** Finds events whose organization or account does not exist. */
async function strangersIn({ rows }: Store, events: readonly EventRecord[]): Promise<string[]> {
  const ids = <K extends 'organizationId' | 'accountId'>(name: K) => [...new Set(events.flatMap((event) => event[name] ?? []))];
  const organizations = await rows.query<{ id: string }>('select "id" from "identity"."organization" where "id" = any($1)', [
    ids('organizationId'),
  ]);
  const accounts = await rows.query<{ id: string; organization_id: string }>(
    'select "id", "organization_id" from "identity"."account" where "id" = any($1)',
    [ids('accountId')],
  );
  const known = new Set(organizations.map(({ id }) => id));
  const ownerOf = new Map(accounts.map(({ id, organization_id }) => [id, organization_id]));
  return events.flatMap(({ id, event, organizationId, accountId }) => [
    ...(known.has(organizationId) ? [] : [`event ${id} (${event}): there is no organization ${organizationId}`]),
    ...(accountId === null || ownerOf.get(accountId) === organizationId
      ? []
      : [`event ${id} (${event}): its organization has no account ${accountId}`]),
  ]);
}
