import { beforeAll, describe, expect, test } from 'vitest';
import { alertOf, createAlert, eventsOf, eventsThat, historyOf, MINUTE_MS, measured, pass } from '../alerts.setup.ts';
import { createAccount } from '../billing.setup.ts';
import { send } from '../metrics.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

let addresses = 0;
const address = (): string => `noc-${++addresses}-${Date.now()}@example.com`;
const mailsTo = (to: string) => platform.mails.filter((mail) => mail.to === to);
const mailsThat = (to: string, count: number) =>
  eventually(() => {
    const found = mailsTo(to);
    return found.length === count && found;
  });
const post = (by: Tenant, path: string, body: object = {}) => by.rest('POST', `/monitoring/alerts${path}`, { body });

describe('an alert', () => {
  test('an alert is created from a flat body, with defaults for all other fields', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
    const body = { name: 'Long queue', service_id: serviceId, metric: 'queue.length', condition: 'above', threshold: 100 };
    const { status, body: created } = await post(tenant, '', body);
    expect(status, JSON.stringify(created)).toBe(201);
    expect(created.data).toEqual({
      ...body,
      id: expect.stringMatching(/^alrt_/),
      account_id: accountId,
      ...{ description: null, labels: [], group_by: [], aggregation: null, lower_threshold: null, recovery_threshold: null },
      ...{ window_seconds: 300, for_seconds: 0, recover_for_seconds: 60, interval_seconds: 60, no_data: 'no_data', severity: 'warning' },
      ...{
        notify: [],
        repeat_every_seconds: null,
        open_incident: false,
        open_ticket: null,
        silenced_until: null,
        silenced_by: null,
        silence_comment: null,
      },
      ...{ state: 'ok', state_since: expect.any(String), value: null, evaluated_at: null, problem: null, instances: [] },
      ...{ revision: 1, created_at: expect.any(String), updated_at: expect.any(String) },
    });
    const evaluated = await eventually(async () => {
      const alert = await alertOf(tenant, created.data.id);
      return alert.evaluated_at && alert;
    });
    expect(evaluated).toMatchObject({ state: 'no_data', problem: 'There is no metric queue.length yet.', revision: 1 });
  });

  test('an alert fires after its duration and recovers, and both changes cause one notification', async () => {
    const tenant = await platform.organization();
    const to = address();
    const limits = { threshold: 10, recovery_threshold: 5, for_seconds: 60, recover_for_seconds: 60, severity: 'critical', no_data: 'ok' };
    const { id } = await createAlert(tenant, { ...limits, description: 'Add a host.', notify: [to] });
    expect(await measured(tenant, id, 11)).toMatchObject({
      state: 'pending',
      value: 11,
      instances: [{ state: 'pending', fired_at: null }],
    });
    expect(await measured(tenant, id, 12)).toMatchObject({
      state: 'firing',
      value: 12,
      instances: [{ state: 'firing', value: 12, labels: {} }],
    });
    expect(await measured(tenant, id, 7)).toMatchObject({ state: 'firing', value: 7 });
    expect((await measured(tenant, id, 4)).state).toBe('recovering');
    expect((await measured(tenant, id, 7)).state).toBe('firing');
    expect((await measured(tenant, id, 4)).state).toBe('recovering');
    expect(await measured(tenant, id, 4)).toMatchObject({ state: 'ok', value: 4, instances: [], problem: null });
    expect(await historyOf(tenant, id)).toEqual(['OK', 'PENDING', 'FIRING', 'RECOVERING', 'FIRING', 'RECOVERING', 'OK']);
    const [firing] = await eventsThat(tenant, id, 'alert.firing', 1);
    expect(firing).toMatchObject({
      alert: { id, state: 'firing', severity: 'critical', account_id: null },
      instance: { state: 'firing', previous_state: 'pending', reason: 'value', value: 12, suppressed_by: null, is_repeated: false },
    });
    const [resolved] = await eventsThat(tenant, id, 'alert.resolved', 1);
    expect(resolved).toMatchObject({ alert: { state: 'ok' }, instance: { id: firing.instance.id, state: 'ok', value: 4, fired_at: null } });
    const mails = await mailsThat(to, 2);
    expect(mails.map(({ subject }) => subject)).toEqual(['Alert High load', 'Resolved High load']);
    expect(mails[0]?.text).toMatch(/Add a host\.[\s\S]*Severity: critical[\s\S]*last of load above 10[\s\S]*Value: 12/);
    expect(mails[0]?.messageId).toMatch(new RegExp(`^${id}\\.\\d+\\.firing@alerts$`));
  });

  test.each([
    [{ condition: 'above', threshold: 20 }, false],
    [{ condition: 'above', threshold: 19.9 }, true],
    [{ condition: 'above_or_equal', threshold: 20 }, true],
    [{ condition: 'below', threshold: 20 }, false],
    [{ condition: 'below_or_equal', threshold: 20 }, true],
    [{ condition: 'outside', lower_threshold: 10, threshold: 20 }, false],
    [{ condition: 'outside', lower_threshold: 21, threshold: 30 }, true],
    [{ condition: 'outside', lower_threshold: 1, threshold: 19 }, true],
    [{ condition: 'change_above', threshold: 99 }, true],
    [{ condition: 'change_above', threshold: 100 }, false],
    [{ condition: 'change_below', threshold: -50 }, false],
    [{ condition: 'absent', threshold: null }, false],
    [{ condition: 'absent', threshold: null, metric: 'silence' }, true],
    [{ condition: 'absent', threshold: null, labels: ['host=b'] }, true],
  ])('an alert with %j on the value 20, which was 10 before, fires: %s', async (limits, fires) => {
    const tenant = await platform.organization();
    await send(tenant, 'load', [[9 * MINUTE_MS, 10]], { labels: { host: 'a' } });
    await send(tenant, 'load', [[2 * MINUTE_MS, 20]], { labels: { host: 'a' } });
    const { id } = await createAlert(tenant, limits);
    expect((await pass(tenant, id)).state).toBe(fires ? 'firing' : 'ok');
  });

  test.each([
    ['short', 600],
    ['long', 7200],
  ])('an alert has the value of each aggregation over a %s window', async (_, seconds) => {
    const tenant = await platform.organization();
    const values = Array.from({ length: 100 }, (__, n) => [MINUTE_MS + n * 4000, n + 1] as const);
    await send(tenant, 'spread', values);
    const total = [10, 20, 25, 5, 8].map((value, n) => [(8 - n) * MINUTE_MS, value] as const);
    await send(tenant, 'total', total, { type: 'counter' });
    const alert = (metric: string, aggregation?: string): Promise<Json> =>
      createAlert(tenant, {
        metric,
        ...(aggregation && { aggregation }),
        threshold: 1e9,
        window_seconds: seconds,
        name: aggregation ?? 'default',
      });
    const expected = { avg: 50.5, min: 1, max: 100, sum: 5050, count: 100, last: 1, p50: 50, p90: 90, p95: 95, p99: 99 };
    const made = await Promise.all(Object.keys(expected).map((aggregation) => alert('spread', aggregation)));
    const increase = await alert('total', 'increase');
    const rate = await alert('total', 'rate');
    const none = await alert('total', 'p95');
    await pass(tenant, rate.id);
    for (const [index, [aggregation, value]] of Object.entries(expected).entries()) {
      const found = (await alertOf(tenant, made[index].id)).value;
      expect(Math.abs(found - value) / value, aggregation).toBeLessThanOrEqual(/^p/.test(aggregation) ? 0.0101 : 0);
    }
    expect((await alertOf(tenant, increase.id)).value).toBe(23);
    expect((await alertOf(tenant, rate.id)).value).toBeCloseTo(23 / seconds, 12);
    expect(await alertOf(tenant, none.id)).toMatchObject({
      value: null,
      state: 'no_data',
      problem: 'The metric is a counter, which has no p95.',
    });
  });

  test('an alert has an instance for each combination of labels and service, and each instance fires and resolves separately', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
    const to = address();
    const { id } = await createAlert(tenant, { group_by: ['service_id', 'host'], labels: ['role=db'], notify: [to] });
    const at = (host: string, value: number, more: object = {}) =>
      send(tenant, 'load', [[0, value]], { labels: { host, role: 'db' }, ...more });
    await Promise.all([at('a', 11), at('b', 12, { service_id: serviceId }), at('c', 5)]);
    await send(tenant, 'load', [[0, 99]], { labels: { host: 'd', role: 'web' } });
    const firing = await pass(tenant, id);
    expect(firing).toMatchObject({ state: 'firing', value: null });
    expect(firing.instances.toSorted((one: Json, other: Json) => one.value - other.value)).toMatchObject([
      { service_id: null, labels: { host: 'a' }, value: 11 },
      { service_id: serviceId, labels: { host: 'b' }, value: 12 },
    ]);
    const [mail] = await mailsThat(to, 1);
    expect(mail?.text).toMatch(/Value of host=a: 11/);
    expect(mail?.text).toMatch(new RegExp(`Value of ${serviceId}, host=b: 12`));
    await at('a', 1);
    expect(await pass(tenant, id)).toMatchObject({ state: 'firing', instances: [{ labels: { host: 'b' } }] });
    expect((await eventsThat(tenant, id, 'alert.resolved', 1))[0].instance.labels).toEqual({ host: 'a' });
    await tenant.rest('PUT', `/monitoring/alerts/${id}`, { body: { labels: ['role=web'], threshold: 100 } });
    expect(await pass(tenant, id)).toMatchObject({ state: 'ok', instances: [] });
    expect((await eventsThat(tenant, id, 'alert.resolved', 2))[1].instance).toMatchObject({ labels: { host: 'b' }, reason: 'series_gone' });
  });

  test.each([
    ['no_data', ['OK', 'FIRING', 'NO_DATA'], 'no_data'],
    ['ok', ['OK', 'FIRING', 'OK'], 'ok'],
    ['firing', ['OK', 'FIRING'], 'firing'],
  ])('an alert whose setting no_data is %s has the expected state after minutes without samples', async (noData, states, last) => {
    const tenant = await platform.organization();
    await send(tenant, 'load', [[20_000, 11]]);
    const { id } = await createAlert(tenant, { no_data: noData, window_seconds: 60 });
    await eventually(async () => (await alertOf(tenant, id)).state === 'firing');
    for (let minute = 0; minute < 4; minute += 1) await pass(tenant, id);
    expect((await alertOf(tenant, id)).state).toBe(last);
    expect(await historyOf(tenant, id)).toEqual(states);
  });
});

describe('a notification', () => {
  test('a notification of an alert is repeated until somebody acknowledges the alert', async () => {
    const tenant = await platform.organization();
    const to = address();
    const { id } = await createAlert(tenant, { notify: [to], repeat_every_seconds: 300 });
    expect((await post(tenant, `/${id}/acknowledge`)).body.data.instances).toEqual([]);
    await measured(tenant, id, 11);
    await mailsThat(to, 1);
    for (let minute = 0; minute < 5; minute += 1) await measured(tenant, id, 11);
    await mailsThat(to, 2);
    expect((await eventsThat(tenant, id, 'alert.firing', 2)).map(({ instance }) => instance.is_repeated)).toEqual([false, true]);
    const { status, body } = await post(tenant, `/${id}/acknowledge`);
    expect([status, body.data.instances]).toMatchObject([
      200,
      [{ acknowledged_at: expect.any(String), acknowledged_by: expect.any(String) }],
    ]);
    for (let minute = 0; minute < 6; minute += 1) await measured(tenant, id, 11);
    await measured(tenant, id, 1);
    const mails = await mailsThat(to, 3);
    expect(mails[2]?.subject).toBe('Resolved High load');
  });

  test('a notification of an alert is sent only after the end of a silence', async () => {
    const tenant = await platform.organization();
    const to = address();
    const { id } = await createAlert(tenant, { notify: [to] });
    const until = new Date(platform.clock.now().getTime() + 3 * MINUTE_MS);
    const silenced = (await post(tenant, `/${id}/silence`, { until, comment: 'Known' })).body.data;
    expect(silenced).toMatchObject({ silenced_until: until.toISOString(), silenced_by: expect.any(String), silence_comment: 'Known' });
    expect(await measured(tenant, id, 11)).toMatchObject({ state: 'firing', instances: [{ notified_at: null }] });
    const updated = await eventually(async () => (await eventsOf(tenant, id)).find(([, { instance }]) => instance?.state === 'firing'));
    expect(updated).toMatchObject(['alert.updated', { instance: { suppressed_by: 'silence' } }]);
    expect(mailsTo(to)).toEqual([]);
    await measured(tenant, id, 11);
    await measured(tenant, id, 11);
    expect((await measured(tenant, id, 11)).instances[0].notified_at).not.toBeNull();
    await mailsThat(to, 1);
    await eventsThat(tenant, id, 'alert.firing', 1);
    // the end of an alert is told also during a silence
    const again = new Date(platform.clock.now().getTime() + 60 * MINUTE_MS);
    await post(tenant, `/${id}/silence`, { until: again });
    await measured(tenant, id, 1);
    await mailsThat(to, 2);
    expect((await post(tenant, `/${id}/silence`)).body.data).toMatchObject({ silenced_until: null, silenced_by: null });
    const late = new Date(platform.clock.now().getTime() + 32 * 24 * 60 * MINUTE_MS);
    expect((await post(tenant, `/${id}/silence`, { until: late })).body.error.details).toMatchObject({ field: 'until' });
  });

  test('a notification of an alert is sent only after the end of the maintenance of the service', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
    const { id } = await createAlert(tenant, { service_id: serviceId });
    const now = platform.clock.now().getTime();
    const [start, end] = [now + MINUTE_MS, now + 4 * MINUTE_MS].map((at) => new Date(at).toISOString());
    const planned = { service_id: serviceId, start, end, description: 'New switch', impact: 'none' };
    await tenant.rest('POST', '/monitoring/maintenance', { body: planned });
    await platform.advance(MINUTE_MS);
    await eventually(async () => {
      const { body } = await tenant.rest('GET', `/monitoring/maintenance?service_id=${serviceId}`);
      return body.data[0].status === 'in_progress';
    });
    const more = { service_id: serviceId };
    expect(await measured(tenant, id, 11, more)).toMatchObject({ state: 'firing', instances: [{ notified_at: null }] });
    for (let minute = 0; minute < 3; minute += 1) await measured(tenant, id, 11, more);
    await measured(tenant, id, 11, more);
    expect((await measured(tenant, id, 11, more)).instances[0].notified_at).not.toBeNull();
    const events = await eventually(async () => {
      const found = (await eventsOf(tenant, id)).filter(([, { instance }]) => instance?.state === 'firing');
      return found.length === 2 && found;
    });
    expect(events).toMatchObject([
      ['alert.updated', { instance: { suppressed_by: 'maintenance' } }],
      ['alert.firing', { alert: { account_id: accountId }, instance: { suppressed_by: null } }],
    ]);
  });

  test('the notifications of an alert can be tested, at most once in a minute', async () => {
    const tenant = await platform.organization();
    const to = address();
    const { id } = await createAlert(tenant, { notify: [to] });
    const run = () => tenant.graphql('mutation ($id: ID!) { testAlert(id: $id) { id } }', { id });
    expect((await run()).errors).toBeUndefined();
    expect((await mailsThat(to, 1))[0]?.subject).toBe('Test of the alert High load');
    expect((await run()).errors).toMatchObject([{ extensions: { code: 'INVALID_STATE' } }]);
    const silent = await createAlert(tenant);
    const nobody = await tenant.graphql('mutation ($id: ID!) { testAlert(id: $id) { id } }', { id: silent.id });
    expect(nobody.errors).toMatchObject([{ extensions: { code: 'INVALID_STATE' } }]);
  });
});

describe('operations on alerts', () => {
  test('an alert update changes only the given fields, checks them together with the stored fields, and refuses an old revision', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant);
    const update = (body: object, headers: Record<string, string> = {}) =>
      tenant.rest('PUT', `/monitoring/alerts/${id}`, { body, headers });
    const { headers } = await tenant.rest('GET', `/monitoring/alerts/${id}`);
    const { body } = await update({ threshold: 20, group_by: ['host'] });
    expect(body.data).toMatchObject({ name: 'High load', threshold: 20, group_by: ['host'], condition: 'above', revision: 2 });
    expect((await update({ recovery_threshold: 21 })).body.error.details).toMatchObject({ field: 'recovery_threshold' });
    expect((await update({ condition: 'outside' })).body.error.details).toMatchObject({ field: 'lower_threshold' });
    expect((await update({ condition: 'absent' })).body.data).toMatchObject({ condition: 'absent', threshold: null });
    expect((await update({ name: 'Other' }, { 'if-match': headers.get('etag') ?? '' })).status).toBe(409);
  });

  test('deleting an alert that fires causes the event alert.resolved, and reading the deleted alert returns 404', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant);
    await measured(tenant, id, 11);
    await eventsThat(tenant, id, 'alert.firing', 1);
    expect((await tenant.rest('DELETE', `/monitoring/alerts/${id}`)).status).toBeLessThan(300);
    expect((await tenant.rest('GET', `/monitoring/alerts/${id}`)).status).toBe(404);
    expect((await eventsThat(tenant, id, 'alert.resolved', 1))[0]).toMatchObject({
      alert: { state: 'ok' },
      instance: { reason: 'deleted' },
    });
  });

  test('alerts can be listed by state, severity, service and metric', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
    const firing = await createAlert(tenant, { severity: 'critical' });
    const other = await createAlert(tenant, { service_id: serviceId, metric: 'heat', no_data: 'ok' });
    await measured(tenant, firing.id, 11);
    const found = async (query: string): Promise<string[]> =>
      (await tenant.rest('GET', `/monitoring/alerts?${query}`)).body.data.map(({ id }: Json) => id);
    expect(await found('')).toEqual([other.id, firing.id]);
    for (const query of ['state=firing', 'severity=critical,info', 'metric=load']) expect(await found(query), query).toEqual([firing.id]);
    for (const query of ['state=ok', `service_id=${serviceId}`, 'metric=heat']) expect(await found(query), query).toEqual([other.id]);
    const { data } = await tenant.graphql('query ($id: ID!) { service(id: $id) { alerts { id service { id } } } }', { id: serviceId });
    expect(data.service.alerts).toEqual([{ id: other.id, service: { id: serviceId } }]);
  });

  test('an error about an alert lists every problem of the request', async () => {
    const tenant = await platform.organization();
    const { status, body } = await post(tenant, '', {
      name: ' ',
      metric: '1 load',
      condition: 'outside',
      threshold: 5,
      lower_threshold: 6,
      recovery_threshold: 4,
      window_seconds: 86_400,
      interval_seconds: 15,
      labels: ['host=a', 'host=b'],
      group_by: ['no name'],
      notify: ['nobody'],
      repeat_every_seconds: 1,
    });
    expect(status).toBe(400);
    expect(new Set(body.error.details.errors.map(({ field }: Json) => field))).toEqual(
      new Set([
        ...['name', 'metric', 'lower_threshold', 'recovery_threshold', 'interval_seconds', 'labels.1', 'group_by', 'notify'],
        'repeat_every_seconds',
      ]),
    );
    expect((await tenant.rest('GET', '/monitoring/alerts')).body.data).toEqual([]);
  });

  test('the plan limits the number of alerts of an organization', async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push((await createAlert(tenant)).id);
    const given = { name: 'One too many', metric: 'load', condition: 'absent' };
    expect((await post(tenant, '', given)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { limit: 20 } });
    await tenant.rest('DELETE', `/monitoring/alerts/${ids[0]}`);
    expect((await post(tenant, '', given)).status).toBe(201);
  });

  test('reading alerts requires monitoring:read, and changing alerts requires monitoring:write', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant);
    const reader = await tenant.limitedTo('monitoring:read');
    expect((await reader.rest('GET', '/monitoring/alerts')).body.data).toMatchObject([{ id }]);
    for (const [method, path, body] of [
      ['POST', '', { name: 'x', metric: 'load', condition: 'absent' }],
      ['PUT', `/${id}`, { name: 'x' }],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/silence`, {}],
      ['POST', `/${id}/acknowledge`, {}],
    ] as const)
      expect((await reader.rest(method, `/monitoring/alerts${path}`, { body })).status, `${method} ${path}`).toBe(403);
    expect((await (await tenant.limitedTo('services:read')).rest('GET', '/monitoring/alerts')).status).toBe(403);
  });

  test('operations on alerts or services of other organizations and accounts return 404', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const other = (await createAccount(tenant)).id;
    const [mine, foreign] = await Promise.all([accountId, other].map((of) => serviceThatIs('operational', tenant, of)));
    const hidden = await createAlert(tenant, { service_id: foreign?.id });
    const whole = await createAlert(tenant);
    const key = { name: 'Portal', permissions: ['monitoring:read', 'monitoring:write'], accounts: [accountId] };
    const { api_key } = (await tenant.rest('POST', '/auth/api-keys', { body: key })).body;
    const limited = new Tenant(tenant.origin, tenant.organizationId, api_key.key);
    const own = await createAlert(limited, { service_id: mine?.id });
    expect((await limited.rest('GET', '/monitoring/alerts')).body).toMatchObject({ data: [{ id: own.id }], pagination: { total: 1 } });
    for (const { id } of [hidden, whole]) expect((await limited.rest('GET', `/monitoring/alerts/${id}`)).status).toBe(404);
    const given = { name: 'Foreign', metric: 'load', condition: 'absent' };
    expect((await post(limited, '', { ...given, service_id: foreign?.id })).status).toBe(404);
    expect((await post(limited, '', given)).body.error.details).toMatchObject({ field: 'service_id' });
    const stranger = await platform.organization();
    expect((await post(stranger, '', { ...given, service_id: mine?.id })).status).toBe(404);
    for (const by of [stranger, limited])
      for (const action of ['silence', 'acknowledge']) expect((await post(by, `/${hidden.id}/${action}`)).status).toBe(404);
  });
});
