import { describe, expect, test } from 'vitest';
import { ServiceStatus } from '../inventory/service.states.ts';
import { type Sample, SampleState } from '../samples/sample.ts';
import { observedAlerts, observedStatus } from './observed-status.ts';

const { OPERATIONAL, DEGRADED, DOWN } = ServiceStatus;
const STATES = { u: SampleState.UP, d: SampleState.DEGRADED, x: SampleState.DOWN } as const;

/**
 * Converts a text with one letter per minute to samples: u for up, d for degraded, x for down. The text has the oldest sample first, and
 * the result the newest.
 */
const samples = (text: string, latencies: readonly number[] = []): Sample[] =>
  [...text]
    .map((letter, index) => ({
      ...{ serviceId: 'svc_1', siteId: '', at: new Date(index * 60_000), state: STATES[letter as keyof typeof STATES] },
      ...{
        latencyMs: latencies[index] ?? 5,
        bandwidthUtilization: 10,
        packetLoss: 0,
        jitterMs: 1,
        securityIncidents: 0,
        transferredBytes: 0,
      },
    }))
    .reverse();

describe('the status that follows from samples', () => {
  test.each([
    [OPERATIONAL, '', OPERATIONAL],
    [OPERATIONAL, 'x', OPERATIONAL],
    [OPERATIONAL, 'uux', OPERATIONAL],
    [OPERATIONAL, 'uxx', DOWN],
    [OPERATIONAL, 'uud', OPERATIONAL],
    [OPERATIONAL, 'udd', DEGRADED],
    [OPERATIONAL, 'dud', DEGRADED],
    [OPERATIONAL, 'xud', DEGRADED],
    [DEGRADED, 'duu', DEGRADED],
    [DEGRADED, 'uuu', OPERATIONAL],
    [DEGRADED, 'dxx', DOWN],
    [DOWN, 'xuu', DOWN],
    [DOWN, 'uuu', OPERATIONAL],
    [DOWN, 'udd', DEGRADED],
    [DOWN, 'uu', DOWN],
  ])('a service with the status %s and the samples "%s" gets the status %s', (current, text, expected) => {
    expect(observedStatus(current, samples(text))).toBe(expected);
  });

  test('for all sequences of seven samples, the observed status equals the status of a model that counts samples', () => {
    for (let text = 0; text < 3 ** 7; text += 1) {
      const letters = Array.from({ length: 7 }, (_, index) => 'udx'[Math.floor(text / 3 ** index) % 3] as string);
      let status: ServiceStatus = OPERATIONAL;
      const model = new CountingModel();
      for (let count = 1; count <= letters.length; count += 1) {
        status = observedStatus(status, samples(letters.slice(0, count).join('')));
        expect(`${letters.join('')} ${count} ${status}`).toBe(`${letters.join('')} ${count} ${model.next(letters[count - 1] as string)}`);
      }
    }
  });
});

/** Second implementation of `observedStatus`, with counters that are updated for each sample. Tests compare both implementations. */
class CountingModel {
  #status: ServiceStatus = OPERATIONAL;
  #down = 0;
  #notDown = 0;
  #up = 0;
  #last: boolean[] = [];

  next(letter: string): ServiceStatus {
    this.#down = letter === 'x' ? this.#down + 1 : 0;
    this.#notDown = letter === 'x' ? 0 : this.#notDown + 1;
    this.#up = letter === 'u' ? this.#up + 1 : 0;
    this.#last = [...this.#last, letter !== 'u'].slice(-3);
    if (this.#down >= 2) this.#status = DOWN;
    else if (this.#up >= 3) this.#status = OPERATIONAL;
    else if (this.#status === DOWN && this.#notDown >= 3) this.#status = DEGRADED;
    else if (this.#status === OPERATIONAL && this.#last.filter(Boolean).length >= 2) this.#status = DEGRADED;
    return this.#status;
  }
}

describe('alerts of measurements', () => {
  test('an alert begins once after two samples above the limit, and again only after three samples within it', () => {
    const latencies = [5, 150, 150, 150, 5, 5, 150, 5, 5, 5, 150, 150];
    const begun: number[] = [];
    let open = {};
    for (let count = 1; count <= latencies.length; count += 1) {
      const result = observedAlerts(open, samples('u'.repeat(count), latencies));
      open = result.open;
      if (result.begun.length > 0) begun.push(count);
    }
    expect(begun).toEqual([3, 12]);
  });

  test('an alert contains the metric, the time of the first sample above the limit, and the newest measurements', () => {
    const { begun, open } = observedAlerts({}, samples('uuu', [5, 150, 180]));
    expect(begun).toMatchObject([{ metric: 'latencyMs', since: new Date(60_000), measured: { latencyMs: 180 } }]);
    expect(open).toEqual({ latencyMs: '1970-01-01T00:01:00.000Z' });
  });

  test('samples without a connection neither begin nor end an alert', () => {
    const down = samples('xxx').map((sample) => ({ ...sample, latencyMs: null, packetLoss: 100 }));
    expect(observedAlerts({}, down)).toEqual({ begun: [], open: {} });
    const known = { latencyMs: '1970-01-01T00:01:00.000Z' };
    expect(observedAlerts(known, down)).toEqual({ begun: [], open: known });
  });
});
