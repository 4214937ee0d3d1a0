import { expect, test } from 'vitest';
import { maintain } from '../../apps/tools/maintenance.tool.ts';
import { TestClock } from '../../kernel/clock.ts';
import { eventually, onRig, start } from '../rig.ts';
import { type KeptDatabase, keptDatabase } from '../support/kept-database.ts';
import { programOf, RunningProcess } from '../support/process.ts';
import { runInProcess } from '../support/tool.ts';
import { openTicket } from '../ticket.setup.ts';
import { userOf } from '../users.setup.ts';

const PROGRAM = programOf('maintenance');
const KEY = { SECRET_KEY: 'a secret for tests that is long enough' };

const run = (kept: KeptDatabase, ...args: string[]) => runInProcess(maintain, args, { ...kept.settings, ...KEY });

/** A database with a user, three tickets, and their events in the event log. */
async function databaseWithEvents(): Promise<{ kept: KeptDatabase; organizationId: string }> {
  const kept = await keptDatabase(KEY);
  const platform = await start({ ...kept.settings, ...KEY }, new TestClock());
  const tenant = await platform.organization({ plan: 'custom' });
  await onRig(platform, async () => {
    await userOf(tenant);
    for (const title of ['First', 'Second', 'Third']) await openTicket(tenant, { title });
    await eventually(async () => {
      const { data } = await tenant.graphql('{ events(filter: { event: ["ticket.created"] }) { nodes { id } } }');
      return data.events.nodes.length === 3;
    });
  });
  await platform.close();
  return { kept, organizationId: tenant.organizationId };
}

test('npm run maintenance verify lists damaged events and deliveries by id and exits with 1', async () => {
  const { kept, organizationId } = await databaseWithEvents();
  const clean = await run(kept, 'verify');
  expect(clean).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^[1-9]\d* events were verified: no problems\.$/m),
  });

  const ids = (
    await kept.sql<{ id: string }>(`select "id" from "events"."event_log" where "event" = 'ticket.created' order by "sequence"`)
  ).map(({ id }) => id);
  const [misfit = '', foreign = '', lost = ''] = ids;
  await kept.sql(`
    update "events"."event_log" set "payload" = replace("payload", '"priority"', '"urgency"') where "id" = '${misfit}';
    update "events"."event_log" set "account_id" = 'acct_nobody', "organization_id" = 'org_nobody' where "id" = '${foreign}';
    insert into "events"."webhook" ("id", "organization_id", "url", "events", "sealed_secret", "created_at", "updated_at")
      values ('wh_1', '${organizationId}', 'http://127.0.0.1:9', '[]', 'v1.AAAA', now(), now());
    insert into "events"."delivery" ("id", "organization_id", "webhook_id", "event_id", "event", "sequence", "url", "occurred_at", "created_at")
      select 'del_1', "organization_id", 'wh_1', "id", "event", "sequence", 'http://127.0.0.1:9', "occurred_at", "occurred_at"
      from "events"."event_log" where "id" = '${lost}';
    delete from "events"."event_log" where "id" = '${lost}';
    update "events"."consumer" set "last_sequence" = 1000000 where "name" = 'webhooks';
    create table "events"."event_log_20250101" (like "events"."event_log");
    insert into "support"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "occurred_at", "payload")
      values ('evt_stuck', '${organizationId}', 'ticket.created', 'Ticket', 'tkt_1', now() - interval '30 days', '{}')`);

  const { code, stdout } = await new RunningProcess([PROGRAM, 'verify'], { ...kept.settings, ...KEY }).exited;
  expect(code).toBe(1);
  for (const line of [
    `event ${misfit} (ticket.created`,
    'does not match its schema',
    `event ${foreign} (ticket.created): there is no organization org_nobody`,
    `event ${foreign} (ticket.created): its organization has no account acct_nobody`,
    'its payload has a different organization_id',
    `the delivery del_1 of event ${lost}: the log does not have the event`,
    'the consumer webhooks is beyond the end of the log',
    'the table events.event_log_20250101 is not attached to the log',
    'event evt_stuck (ticket.created) of the outbox of support was never relayed to the log',
  ])
    expect(stdout).toContain(line);
}, 180_000);

test('npm run maintenance prune deletes expired rows, and with --dry-run only counts them', async () => {
  const { kept } = await databaseWithEvents();
  expect((await run(kept, 'prune', '--dry-run')).stdout).toContain('identity.audit_record: 0 would be deleted');
  await kept.sql(`
    update "identity"."session" set "expires_at" = now() - interval '3 days';
    insert into "identity"."revoked_token" ("id", "revoked_at", "expires_at")
      select 'tok_' || n, now() - interval '9 days', now() - interval '8 days' from generate_series(1, 2500) n;
    insert into "support"."inbox" ("event_id", "reaction", "handled_at") values ('evt_old', 'test', now() - interval '400 days')`);
  const sessions = (await kept.sql('select from "identity"."session"')).length;
  expect(sessions).toBeGreaterThan(0);

  const counted = await run(kept, 'prune', '--dry-run');
  const wanted = [`identity.session: ${sessions}`, 'identity.revoked_token: 2500', 'support.inbox: 1'];
  for (const line of wanted) expect(counted.stdout).toContain(`${line} would be deleted`);
  expect(await kept.sql('select from "identity"."revoked_token"')).toHaveLength(2500);

  const pruned = await run(kept, 'prune');
  expect([pruned.code, pruned.stderr]).toEqual([0, '']);
  for (const line of wanted) expect(pruned.stdout).toContain(`${line} deleted`);
  // the checks of the platform write a row
  for (const rows of ['"identity"."session"', '"identity"."revoked_token"', `"support"."inbox" where "event_id" <> 'readyz'`])
    expect(await kept.sql(`select from ${rows}`), rows).toEqual([]);
  expect((await run(kept, 'prune')).stdout).toContain('0 rows were deleted.');
}, 180_000);

test('npm run maintenance --help lists the commands, and an invalid command exits with 1 and one line', async () => {
  expect(await runInProcess(maintain, ['--help'], KEY)).toMatchObject({ code: 0, stdout: expect.stringContaining('reencrypt') });
  for (const [args, says] of [
    [['frob'], 'There is no command frob. See npm run maintenance -- --help.'],
    [['prune', 'all'], 'prune takes no arguments. See npm run maintenance -- --help.'],
  ] as const) {
    const { code, stderr } = await runInProcess(maintain, args, KEY);
    expect([code, stderr]).toEqual([1, `${says}\n`]);
  }
});
