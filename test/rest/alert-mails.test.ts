import { beforeAll, describe, expect, test } from 'vitest';
import { createAlert, eventsThat, MINUTE_MS, measured, pass } from '../alerts.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const PRESENT = /This is the present state\. An alert sends at most 10 mails in an hour/;
const PAUSE = /An alert sends at most 10 mails in an hour\. Further mails wait until (20\d\d-\d\d-\d\d \d\d:\d\d) UTC\./;

let addresses = 0;
const address = (): string => `flapping-${++addresses}-${Date.now()}@example.com`;
const mailsTo = (to: string) => platform.mails.filter((mail) => mail.to === to);
const mailsThat = (to: string, count: number) =>
  eventually(() => {
    const found = mailsTo(to);
    return found.length === count && found;
  });

/** Lets an alert fire and resolve, a minute each. */
async function flap(tenant: Tenant, id: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) for (const value of [11, 1]) await measured(tenant, id, value);
}

/** An alert that has sent ten mails in its hour to each address. The first of them was sent 9 minutes ago. */
async function exhausted(...notify: string[]) {
  const tenant = await platform.organization();
  const { id } = await createAlert(tenant, { notify });
  await flap(tenant, id, 5);
  for (const to of notify) await mailsThat(to, 10);
  return { tenant, id };
}

/** Lets the rest of the hour pass, up to some minutes after its end. The last value is measured. */
async function hourEnds(tenant: Tenant, id: string, value: number): Promise<void> {
  await pass(tenant, id, 45 * MINUTE_MS);
  for (let minute = 0; minute < 8; minute += 1) await measured(tenant, id, value);
}

describe('the mails of an alert that flaps', () => {
  test('end with the tenth in an hour, which says so, and one mail states the present state after the hour', async () => {
    const [to, other] = [address(), address()];
    const { tenant, id } = await exhausted(to, other);
    const ten = mailsTo(to);
    expect(ten.map(({ subject }) => subject)).toEqual(Array(5).fill(['Alert High load', 'Resolved High load']).flat());
    for (const { text } of ten.slice(0, 9)) expect(text).not.toMatch(/at most/);
    const [, until = ''] = PAUSE.exec(ten[9]?.text ?? '') ?? [];
    const minutesLeft = (Date.parse(`${until.replace(' ', 'T')}:00Z`) - platform.clock.now().getTime()) / MINUTE_MS;
    expect(minutesLeft).toBeGreaterThan(49);
    expect(minutesLeft).toBeLessThan(52);
    await flap(tenant, id, 1);
    await measured(tenant, id, 12);
    // events are not limited
    await eventsThat(tenant, id, 'alert.firing', 7);
    await eventsThat(tenant, id, 'alert.resolved', 6);
    await hourEnds(tenant, id, 12);
    const [state] = (await mailsThat(to, 11)).slice(10);
    expect(state?.subject).toBe('Alert High load');
    expect(state?.text).toMatch(PRESENT);
    expect(state?.text).toMatch(/so 3 earlier mails were not sent\.[\s\S]*Value: 12/);
    expect(state?.text).not.toMatch(PAUSE);
    // the next hour has begun
    await measured(tenant, id, 1);
    const [resolved] = (await mailsThat(to, 12)).slice(11);
    expect(resolved).toMatchObject({ subject: 'Resolved High load', text: expect.not.stringMatching(PRESENT) });
    expect(mailsTo(other).map(({ subject }) => subject)).toEqual(mailsTo(to).map(({ subject }) => subject));
  });

  test('that does not fire any more after the hour end with a mail that says so', async () => {
    const to = address();
    const { tenant, id } = await exhausted(to);
    await flap(tenant, id, 1);
    await hourEnds(tenant, id, 1);
    const [state] = (await mailsThat(to, 11)).slice(10);
    expect(state).toMatchObject({ subject: 'Resolved High load', text: expect.stringMatching(/so 2 earlier mails were not sent/) });
    expect(state?.text).not.toMatch(/^Value/m);
  });

  test('are not followed by a mail about the state if nothing changed', async () => {
    const to = address();
    const { tenant, id } = await exhausted(to);
    await hourEnds(tenant, id, 1);
    await measured(tenant, id, 11);
    const [firing] = (await mailsThat(to, 11)).slice(10);
    expect(firing).toMatchObject({ subject: 'Alert High load', text: expect.not.stringMatching(/at most/) });
  });

  test('about the state wait for the end of a silence', async () => {
    const to = address();
    const { tenant, id } = await exhausted(to);
    await measured(tenant, id, 11);
    const silence = (until?: Date) => tenant.rest('POST', `/monitoring/alerts/${id}/silence`, { body: { until } });
    await silence(new Date(platform.clock.now().getTime() + 240 * MINUTE_MS));
    await hourEnds(tenant, id, 11);
    await silence();
    await measured(tenant, id, 13);
    const [state] = (await mailsThat(to, 11)).slice(10);
    expect(state).toMatchObject({
      subject: 'Alert High load',
      text: expect.stringMatching(/so 1 earlier mail was not sent\.[\s\S]*Value: 13/),
    });
  });

  test('are forgotten if the alert has no addresses any more', async () => {
    const [to, other] = [address(), address()];
    const { tenant, id } = await exhausted(to);
    await measured(tenant, id, 11);
    const notify = (addresses: string[]) => tenant.rest('PUT', `/monitoring/alerts/${id}`, { body: { notify: addresses } });
    await notify([]);
    await pass(tenant, id);
    await notify([other]);
    await hourEnds(tenant, id, 11);
    await measured(tenant, id, 1);
    expect((await mailsThat(other, 1))[0]).toMatchObject({ subject: 'Resolved High load', text: expect.not.stringMatching(/at most/) });
    expect(mailsTo(to)).toHaveLength(10);
  });
});
