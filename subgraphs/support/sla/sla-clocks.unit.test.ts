import { describe, expect, test } from 'vitest';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { builtInPromise } from '../sla-policies/sla-built-in.ts';
import { formatMinutes, formatTime, parseMinutes } from '../working-time/durations.ts';
import { runningSpans } from './sla-clocks.ts';
import { termsOf } from './sla-terms.ts';

const at = (hour: number): Date => new Date(Date.UTC(2026, 5, 3, hour));

describe('resolution clock', () => {
  const spans = (...entries: [hour: number, member: string, to: unknown][]) =>
    runningSpans(
      at(8),
      entries.map(([hour, member, to]) => ({ member, to, createdAt: at(hour) })),
    ).map(({ from, to }) => [from.getUTCHours(), to?.getUTCHours() ?? null]);
  const status = (hour: number, to: string): [number, string, unknown] => [hour, 'status', to];
  const waiting = (hour: number, to: boolean): [number, string, unknown] => [hour, 'waiting_on_customer', to];

  test('the resolution clock starts when the ticket is opened, and runs while it is open, in progress or escalated', () => {
    expect(spans()).toEqual([[8, null]]);
    expect(spans(status(8, 'open'), status(9, 'in_progress'), status(10, 'escalated'))).toEqual([[8, null]]);
  });

  test('the resolution clock stops while the ticket is resolved or waits for its customer', () => {
    expect(spans(status(9, 'resolved'), status(12, 'open'))).toEqual([
      [8, 9],
      [12, null],
    ]);
    expect(spans(waiting(9, true), waiting(11, false), waiting(13, true))).toEqual([
      [8, 9],
      [11, 13],
    ]);
  });

  test('the resolution clock runs again only when the ticket is neither resolved nor waiting for its customer', () => {
    expect(spans(waiting(9, true), status(10, 'resolved'), waiting(10, false), status(12, 'open'))).toEqual([
      [8, 9],
      [12, null],
    ]);
    expect(spans(waiting(9, true), status(10, 'in_progress'), waiting(11, false))).toEqual([
      [8, 9],
      [11, null],
    ]);
  });
});

describe('service level terms', () => {
  const terms = (priority: TicketPriority, escalationThreshold: number | null = null) =>
    termsOf(builtInPromise('business', 'general'), { plan: 'business', priority, timezone: 'Asia/Tokyo', escalationThreshold });

  test('service level terms depend on the priority, and the terms of critical tickets count time around the clock', () => {
    expect(terms(TicketPriority.HIGH)).toMatchObject({
      tier: 'business',
      response: { minutes: 60, calendar: { timezone: 'Asia/Tokyo' } },
      resolution: { minutes: 480, calendar: { timezone: 'Asia/Tokyo' } },
      escalateAfterMinutes: [360, 480],
    });
    expect(terms(TicketPriority.CRITICAL)).toMatchObject({
      response: { minutes: 15, calendar: null },
      escalateAfterMinutes: [120, 180, 240],
    });
  });

  test('a subcategory can set the time of the first escalation, and later escalations do not come before this time', () => {
    expect(terms(TicketPriority.CRITICAL, 30).escalateAfterMinutes).toEqual([30, 180, 240]);
    expect(terms(TicketPriority.CRITICAL, 200).escalateAfterMinutes).toEqual([200, 200, 240]);
  });
});

test('service level targets are formatted in hours and minutes, and targets in seconds or months are rejected', () => {
  expect([15, 60, 90, 1440, 0].map(formatMinutes)).toEqual(['15 minutes', '1 hour', '90 minutes', '24 hours', '0 minutes']);
  const minutes = [0, 1, 60, 61, 1500, -5, -125].map((count) => formatTime(count * 60_000));
  expect(minutes).toEqual(['0 minutes', '1 minute', '1 hour', '1 hour 1 minute', '25 hours', '-5 minutes', '-2 hours 5 minutes']);
  expect(formatTime(-59_000)).toBe('0 minutes');
  expect(['15_minutes', '2 hours', '1 day'].map(parseMinutes)).toEqual([15, 120, 1440]);
  for (const text of ['30 seconds', '90 seconds', '0 hours', '1 month', 'soon']) expect(() => parseMinutes(text)).toThrow(RangeError);
});
