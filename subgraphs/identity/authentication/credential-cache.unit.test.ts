import { afterEach, expect, test, vi } from 'vitest';
import type { ChangeFeed } from './change-feed.ts';
import { CredentialCache } from './credential-cache.ts';

afterEach(() => void vi.useRealTimers());

function feed(isFollowing = true) {
  const listeners: ((id: string) => void)[] = [];
  return {
    isFollowing,
    onChange: (listener: (id: string) => void) => void listeners.push(listener),
    changed(id: string) {
      for (const listener of listeners) listener(id);
    },
  };
}

function cacheOf(changes: ReturnType<typeof feed>, max = 10) {
  const cache = new CredentialCache<string>(changes as unknown as ChangeFeed, max);
  let loads = 0;
  const get = async (digest: string, subjects: string[] | undefined = [digest]) =>
    cache.get(digest, async () => {
      loads += 1;
      return subjects && { value: `value of ${digest}`, subjects };
    });
  return { cache, get, loads: () => loads };
}

test('cached credentials are looked up again only after one of their records is changed', async () => {
  const changes = feed();
  const { get, loads } = cacheOf(changes);
  for (let round = 0; round < 3; round += 1) expect(await get('a', ['key', 'organization'])).toBe('value of a');
  await get('b', ['other', 'organization']);
  expect(loads()).toBe(2);

  changes.changed('somebody else');
  await get('a');
  expect(loads()).toBe(2);
  changes.changed('key');
  await get('a', ['key', 'organization']);
  await get('b');
  expect(loads()).toBe(3);
  changes.changed('organization');
  await Promise.all([get('a'), get('b')]);
  expect(loads()).toBe(5);
});

test('a change with an empty id, which reports a lost connection, clears the whole credential cache', async () => {
  const changes = feed();
  const { get, loads } = cacheOf(changes);
  await Promise.all([get('a'), get('b')]);
  changes.changed('');
  await Promise.all([get('a'), get('b')]);
  expect(loads()).toBe(4);
});

test('cached credentials are valid for only 4 seconds while the change feed is not available', async () => {
  // fakes only `performance`: other tests in this worker may use a platform, which needs real timers
  vi.useFakeTimers({ toFake: ['performance'] });
  const { get, loads } = cacheOf(feed(false));
  await get('a');
  vi.advanceTimersByTime(3900);
  await get('a');
  expect(loads()).toBe(1);
  vi.advanceTimersByTime(200);
  await get('a');
  expect(loads()).toBe(2);
});

test('credentials whose record changes during their lookup are returned and not cached', async () => {
  const changes = feed();
  const { cache, get, loads } = cacheOf(changes);
  const looking = get('a', ['key']);
  changes.changed('key');
  expect(await looking).toBe('value of a');
  expect(cache.peek('a')).toBeUndefined();
  await get('a');
  expect(loads()).toBe(2);
});

test('a change of other records during a lookup does not prevent the cache from storing what it found', async () => {
  const changes = feed();
  const { cache, get } = cacheOf(changes);
  const looking = get('a', ['key']);
  changes.changed('somebody else');
  await looking;
  expect(cache.peek('a')).toBe('value of a');
});

test.each([
  ['known', ['key'], ''],
  ['unknown', undefined, 'anybody'],
])('the result of a lookup of %s credentials is not cached if they may have changed meanwhile', async (_, subjects, id) => {
  const changes = feed();
  const { cache } = cacheOf(changes);
  let runs = 0;
  const look = () =>
    cache.get('a', async () => {
      runs += 1;
      return subjects && { value: 'value', subjects };
    });
  const looking = look();
  changes.changed(id);
  await looking;
  await look();
  expect(runs).toBe(2);
});

test('concurrent lookups of the same credentials share one lookup', async () => {
  const { get, loads } = cacheOf(feed());
  await Promise.all(Array.from({ length: 20 }, () => get('a')));
  expect(loads()).toBe(1);
});

test('unknown credentials have a separate cache, so that guessed credentials do not evict known credentials', async () => {
  const { cache, get, loads } = cacheOf(feed(), 3);
  await get('known');
  for (let index = 0; index < 20; index += 1) expect(await cache.get(`guess ${index}`, async () => undefined)).toBeUndefined();
  await get('known');
  expect(loads()).toBe(1);
});

test('the credential cache evicts its oldest entry when it is full', async () => {
  const { cache, get } = cacheOf(feed(), 2);
  for (const digest of ['a', 'b', 'c']) await get(digest);
  expect(['a', 'b', 'c'].map((digest) => cache.peek(digest) !== undefined)).toEqual([false, true, true]);
});
