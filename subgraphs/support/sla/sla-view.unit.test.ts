import 'reflect-metadata';
import { expect, test } from 'vitest';
import { Ticket } from '../tickets/ticket.entity.ts';
import type { SlaTerms } from './sla-terms.ts';
import { SlaView } from './sla-view.ts';

const HOUR_MS = 3_600_000;
const at = (hour: number): Date => new Date(Date.UTC(2026, 5, 3, hour));
const calendar = { timezone: 'UTC', hours: [{ days: ['wed'] as const, from: '09:00', to: '17:00' }], holidays: [] };
const slaTerms: SlaTerms = {
  tier: 'Gold',
  plan: 'business',
  response: { minutes: 120, calendar },
  resolution: { minutes: 120, calendar },
  escalateAfterMinutes: [],
};

/** Returns a ticket that was created on a Wednesday at 15:00 and is due at the end of the working hours. */
const opened = (more: Partial<Ticket> = {}): Ticket => {
  const due = { responseDue: at(17), resolutionDue: at(17), resolutionSince: at(15) };
  return Object.assign(new Ticket(), { createdAt: at(15), slaTerms, ...due, ...more });
};

test('a response or resolution that is late or missing has the status breached, even if the delay is outside the working hours', () => {
  const late = opened({ respondedAt: at(20), resolvedAt: at(20), resolutionElapsed: 2 * HOUR_MS });
  const { response, resolution, responseMet } = new SlaView(late, at(21));
  expect([response.status, resolution.status, responseMet]).toEqual(['breached', 'breached', false]);
  const open = new SlaView(opened(), at(20));
  expect([open.response.status, open.resolution.status, open.responseMet]).toEqual(['breached', 'breached', false]);
});

test('a response or resolution exactly at its due time has the status breached', () => {
  const late = opened({ respondedAt: at(17), resolvedAt: at(17), resolutionElapsed: 2 * HOUR_MS });
  const { response, resolution } = new SlaView(late, at(21));
  expect([response.status, resolution.status]).toEqual(['breached', 'breached']);
});

test('a response or resolution before its due time has the status met', () => {
  const done = opened({ respondedAt: at(16), resolvedAt: at(16), resolutionElapsed: HOUR_MS });
  const { response, resolution, responseMet } = new SlaView(done, at(21));
  expect([response.status, resolution.status, responseMet]).toEqual(['met', 'met', true]);
  const running = new SlaView(opened(), at(16));
  expect([running.response.status, running.resolution.status, running.responseMet]).toEqual(['pending', 'pending', null]);
});
