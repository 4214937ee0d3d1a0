import { expect, test } from 'vitest';
import { BANDWIDTH_PATTERN, formatBandwidth, parseBandwidth } from './bandwidth.ts';

test.each([
  ['1000mbps', 1000],
  ['500 mbps', 500],
  ['1gbps', 1000],
  ['2.5 Gbps', 2500],
  ['2.3gbps', 2300],
  [' 100MBPS ', 100],
])('the bandwidth %j is parsed as %d megabits per second', (text, mbps) => {
  expect(parseBandwidth(text)).toBe(mbps);
});

test.each(['', 'fast', '1000', '0mbps', '-5mbps', '1.5mbps', '1000kbps', '1000 mb', '1e3mbps', '99999999mbps', '1gbps 2gbps'])(
  'the bandwidth %j is invalid',
  (text) => {
    expect(parseBandwidth(text)).toBeNull();
  },
);

test.each([
  ['9999999mbps', true],
  ['999999gbps', true],
  ['999999999mbps', false],
  ['1000000gbps', false],
  ['1000000.5gbps', false],
  ['9999999gbps', false],
])('parsing and the documented pattern agree that the accepted bandwidths include %s: %s', (text, isAccepted) => {
  expect([parseBandwidth(text) !== null, new RegExp(BANDWIDTH_PATTERN).test(text)]).toEqual([isAccepted, isAccepted]);
});

test('parsing a formatted bandwidth returns the original number of megabits per second', () => {
  for (const mbps of [1, 250, 1000, 10_000]) expect(parseBandwidth(formatBandwidth(mbps))).toBe(mbps);
});
