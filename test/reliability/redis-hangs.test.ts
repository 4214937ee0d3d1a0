import { describe, expect, test } from 'vitest';
import { eventually, start } from '../rig.ts';
import { redisUrl } from '../security/edge-stores.ts';
import { Line } from '../support/line.ts';

describe.runIf(redisUrl)('unresponsive Redis', () => {
  test('requests succeed while Redis does not respond, and processes share rate limits again after Redis responds', async () => {
    await using line = await Line.to(redisUrl as string);
    const rig = await start({ REDIS_URL: line.url, METRICS_TOKEN: 'a token for metrics' });
    const tenant = await rig.organization();
    const isUp = async () => {
      const response = await fetch(`${rig.origin}/metrics`, { headers: { authorization: 'Bearer a token for metrics' } });
      return /^rate_limit_store_up 1$/m.test(await response.text());
    };
    expect((await tenant.rest('GET', '/accounts')).status).toBe(200);
    expect(await isUp()).toBe(true);

    line.hang();
    expect((await tenant.rest('GET', '/accounts')).status).toBe(200);
    expect(await isUp()).toBe(false);
    // if each request waited one second for Redis, this would take 100 seconds
    for (let count = 0; count < 100; count++) expect((await tenant.rest('GET', '/accounts')).status).toBe(200);
    expect(rig.logged.filter((line) => line.includes('Redis is unreachable'))).toHaveLength(1);

    line.flow();
    await eventually(async () => {
      await tenant.rest('GET', '/accounts');
      return isUp();
    });
    expect(rig.logged.filter((line) => line.includes('Redis is reachable again'))).toHaveLength(1);
    await rig.close();
  }, 60_000);
});
