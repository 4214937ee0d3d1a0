import { expect, test } from 'vitest';
import { isWithin, parseIpRange } from './ip-range.ts';

const within = (ip: string, ...texts: string[]): boolean =>
  isWithin(
    ip,
    texts.map(parseIpRange).filter((range) => range !== undefined),
  );

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.0.0.1', '10.0.0.0/8', false],
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.2.4', '10.1.2.3', false],
  ['192.0.2.255', '0.0.0.0/0', true],
  ['2001:db8::1', '2001:db8::/32', true],
  ['2001:db9::1', '2001:db8::/32', false],
  ['2001:db8::1', '0.0.0.0/0', false],
  ['10.1.2.3', '::/0', false],
  ['::ffff:10.1.2.3', '10.0.0.0/8', true],
  ['10.1.2.3', '::ffff:10.0.0.0/104', true],
  ['11.1.2.3', '::ffff:10.0.0.0/104', false],
  ['', '0.0.0.0/0', false],
  ['unknown', '0.0.0.0/0', false],
])('the address %s is within the range %s: %s', (ip, range, expected) => {
  expect(within(ip, range)).toBe(expected);
});

test('an address is allowed if one of several ranges contains it', () => {
  expect(within('2001:db8::1', '10.0.0.0/8', '2001:db8::/32')).toBe(true);
});

test.each([
  '',
  '10.0.0.0/33',
  '2001:db8::/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0/8',
  '010.0.0.1/8',
  '0x0a.0.0.1',
  '10.0.0.0/-1',
  '10.0.0.0/1e1',
  'fe80::1%eth0/64',
  'example.com',
  '*',
])('the IP range %j is invalid', (text) => {
  expect(parseIpRange(text)).toBeUndefined();
});
