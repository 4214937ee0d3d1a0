import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Grant, Principal } from '../../../kernel/access/principal.ts';
import { InsufficientPermissions, InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { EventType } from '../../../kernel/events/events.ts';
import { EventTypes } from './event-types.ts';

const type = (name: string, family: string): EventType => ({
  name,
  family,
  description: '',
  data: z.strictObject({}),
  example: {},
  isEmitted: true,
});
const eventTypes = new EventTypes([
  type('ticket.created', 'support'),
  type('ticket.updated', 'support'),
  { ...type('comment.added', 'support'), isEmitted: false },
  type('invoice.created', 'billing'),
  type('invoice.paid', 'billing'),
  type('webhook.test', 'webhook'),
]);
const holding = (...grants: Grant[]): Principal =>
  new Principal({ kind: 'api_key', id: 'ak_1', organizationId: 'org_1', plan: 'business', grants });

test.each([
  ['ticket.created', ['ticket.created']],
  ['ticket.*', ['ticket.created', 'ticket.updated']],
  ['billing.invoice.*', ['invoice.created', 'invoice.paid']],
  ['support.comment.added', ['comment.added']],
])('the event pattern %s matches %j', (pattern, names) => {
  expect([...eventTypes.namesOf([pattern], 'events')].sort()).toEqual([...names].sort());
});

test('the event pattern * matches every event type, or if a family is given, every event type of this family', () => {
  expect(eventTypes.namesOf(['*'], 'events').size).toBe(6);
  expect([...eventTypes.namesOf(['*'], 'events', 'support')].every((name) => /^(ticket|comment)\./.test(name))).toBe(true);
});

test.each(['ticket', 'ticket.', 'tick*', '*.created', 'ticket.deleted', '', 'billing.ticket.*', '**'])(
  'the event pattern %j is rejected with an error that contains the pattern',
  (pattern) => {
    try {
      eventTypes.namesOf(['ticket.*', pattern], 'events');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidParameters);
      expect((error as InvalidParameters).details).toMatchObject({
        field: 'events.1',
        value: pattern,
        reason: expect.stringContaining('does not match any event'),
      });
    }
  },
);

test('event patterns that match no event type of the given family are all listed in one error', () => {
  try {
    eventTypes.namesOf(['ticket.*', 'invoice.created', 'webhook.*'], 'events', 'billing');
    expect.unreachable();
  } catch (error) {
    expect((error as InvalidParameters).problems.map(({ value }) => value)).toEqual(['ticket.*', 'webhook.*']);
    expect((error as InvalidParameters).problems[0].reason).toBe('is not an event of the billing family');
  }
});

test('a caller may read an event type only with the read permission of its family', () => {
  expect(eventTypes.readable(holding('support:read')).has('ticket.created')).toBe(true);
  expect(eventTypes.readable(holding('support:read')).has('invoice.created')).toBe(false);
  expect(eventTypes.readable(holding('*:*')).size).toBe(6);
  expect(() => eventTypes.requireReadable(holding('support:read', 'webhooks:*'), eventTypes.namesOf(['*'], 'events'))).toThrow(
    InsufficientPermissions,
  );
});

test('startup fails if an event name is registered twice or a family has no permission', () => {
  expect(() => new EventTypes([type('a.b', 'support'), type('a.b', 'support')])).toThrow('same name');
  expect(() => new EventTypes([type('a.b', 'mystery')])).toThrow('mystery');
});
