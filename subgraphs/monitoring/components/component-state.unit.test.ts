import { describe, expect, test } from 'vitest';
import { ComponentName, ComponentStatus } from './component.states.ts';
import { CHECK_MS, type ComponentState, type Measured, nextState, STALE_MS, shownState, statusOf } from './component-state.ts';

const { JOBS, API } = ComponentName;
const START = new Date('2026-02-07T02:00:00.000Z');
const checkAt = (checks: number): Date => new Date(START.getTime() + checks * CHECK_MS);
const NEW: ComponentState = { status: null, since: null, checkedAt: null, seconds: null, differingChecks: 0, differingSince: null };
const GOOD: Measured = { seconds: 0.01 };

/** Returns the states after each check. The checks are made one interval after the other. */
const statesOf = (checks: readonly (Measured | null)[]): ComponentState[] => {
  let state = NEW;
  return checks.map((measured, index) => {
    state = nextState(API, state, measured, checkAt(index));
    return state;
  });
};

test.each<[ComponentName, Measured | null, string]>([
  [JOBS, { seconds: 0 }, 'operational'],
  [JOBS, { seconds: 59.9 }, 'operational'],
  [JOBS, { seconds: 60 }, 'degraded'],
  [JOBS, { seconds: 599 }, 'degraded'],
  [JOBS, { seconds: 600 }, 'down'],
  [JOBS, null, 'down'],
  [API, { seconds: 0.9 }, 'operational'],
  [API, { seconds: 1 }, 'degraded'],
  [API, { seconds: 1000 }, 'degraded'],
  [API, { seconds: 0.01, isImpaired: true }, 'degraded'],
  [API, null, 'down'],
])('a check of the component %s that measures %o says %s', (name, measured, status) => {
  expect(statusOf(name, measured)).toBe(status);
});

describe('the status of a component', () => {
  test('the first check sets the status', () => {
    expect(statesOf([null])).toMatchObject([{ status: 'down', since: START, checkedAt: START, seconds: null }]);
  });

  test('one differing check does not change the status, and two do, since the first of them', () => {
    const [first, second, third] = statesOf([GOOD, null, null]);
    expect(first).toMatchObject({ status: 'operational', since: START });
    expect(second).toMatchObject({ status: 'operational', since: START, checkedAt: checkAt(1), differingChecks: 1 });
    expect(third).toMatchObject({ status: 'down', since: checkAt(1), checkedAt: checkAt(2), differingChecks: 0 });
  });

  test('a check that agrees with the status starts the count of differing checks again', () => {
    expect(statesOf([GOOD, null, GOOD, null]).map(({ status }) => status)).toEqual(Array(4).fill('operational'));
  });

  test('two differing checks need not agree with each other', () => {
    expect(statesOf([GOOD, null, { seconds: 3 }]).at(-1)).toMatchObject({ status: 'degraded', since: checkAt(1) });
  });

  test('a status that is older than a minute is unknown since the last check, and the next check replaces it at once', () => {
    const [state = NEW] = statesOf([GOOD]);
    const late = new Date(START.getTime() + STALE_MS + 1);
    expect(shownState(state, new Date(START.getTime() + STALE_MS))).toEqual({ status: 'operational', since: START, seconds: 0.01 });
    expect(shownState(state, late)).toEqual({ status: ComponentStatus.UNKNOWN, since: START, seconds: null });
    expect(nextState(API, state, null, late)).toMatchObject({ status: 'down', since: late });
  });

  test('a component that was never checked is unknown', () => {
    expect(shownState(NEW, START)).toEqual({ status: 'unknown', since: null, seconds: null });
  });
});
