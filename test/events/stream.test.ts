import { type ExecutionResult, parse, subscribe } from 'graphql';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Grant, Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, type Rig, rig } from '../rig.ts';

/**
 * The platform whose events subgraph is tested directly, without sockets. See live.test.ts for clients over a socket.
 */
let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

type Stream = AsyncIterableIterator<ExecutionResult>;
interface Subscriber {
  stream: Stream;
  seen: string[];
  /** Reads events until `seen` contains this number of ids. */
  take(count: number): Promise<string[]>;
}

const SUBSCRIPTION = parse(
  'subscription($patterns: [String!], $after: ID, $accountId: ID, $subjectId: ID) { events(patterns: $patterns, after: $after, accountId: $accountId, subjectId: $subjectId) { id event payload } }',
);
const log = createLogger({ level: 'silent' });

async function open(
  organizationId: string,
  variables: { patterns?: string[]; after?: string; accountId?: string; subjectId?: string } = {},
  grants: Grant[] = ['*:*'],
): Promise<Stream | ExecutionResult> {
  const { subgraph } = platform.assembly.domains.events;
  const principal = new Principal({ kind: 'api_key', id: 'ak_1', organizationId, plan: 'enterprise', grants });
  const contextValue = subgraph.createContext({ requestId: 'req_1', principal, log });
  const stream = await subscribe({ schema: subgraph.schema, document: SUBSCRIPTION, variableValues: variables, contextValue });
  if (!('errors' in stream)) onTestFinished(async () => void (await (stream as unknown as Stream).return?.()));
  return stream as Stream | ExecutionResult;
}

async function follow(...args: Parameters<typeof open>): Promise<Subscriber> {
  const stream = (await open(...args)) as Stream;
  const seen: string[] = [];
  return {
    stream,
    seen,
    async take(count) {
      while (seen.length < count) {
        const { value, done } = await stream.next();
        if (done) break;
        seen.push((value.data as { events: { id: string } }).events.id);
      }
      return seen;
    },
  };
}

async function refused(...args: Parameters<typeof open>): Promise<unknown> {
  const { errors } = (await open(...args)) as ExecutionResult;
  return errors?.[0]?.extensions;
}

/** Appends events to the log like the relay does, and returns their ids. */
async function append(
  organizationId: string,
  count: number,
  event = 'ticket.created',
  { accountId = null, subjectId = 'ticket_1' }: { accountId?: string | null; subjectId?: string } = {},
): Promise<string[]> {
  const batch = Array.from({ length: count }, () => {
    const id = newId('event');
    const occurredAt = platform.clock.now();
    const payload = JSON.stringify({
      id,
      event,
      timestamp: occurredAt,
      organization_id: organizationId,
      data: { ticket: { id: subjectId } },
    });
    return { id, organizationId, event, subject: { type: 'Ticket', id: subjectId }, accountId, occurredAt, payload };
  });
  await platform.assembly.domains.events.append(batch);
  return batch.map(({ id }) => id);
}

const organization = (): string => newId('organization');

describe('stream subscribers', () => {
  test('an event subscriber gets only new events of its organization, in log order', async () => {
    const [own, other] = [organization(), organization()];
    await append(own, 3);
    const subscriber = await follow(own);
    await append(other, 5);
    const ids = await append(own, 10);
    await append(other, 5);
    ids.push(...(await append(own, 1)));
    expect(await subscriber.take(11)).toEqual(ids);
  });

  test('an event subscriber gets only events that match its patterns and that the subscriber may read', async () => {
    const own = organization();
    const [tickets, readable] = [await follow(own, { patterns: ['ticket.*'] }), await follow(own, {}, ['webhooks:read', 'billing:read'])];
    const [ticket] = await append(own, 1, 'ticket.updated');
    const [invoice] = await append(own, 1, 'invoice.created');
    const [last] = await append(own, 1, 'ticket.resolved');
    const [paid] = await append(own, 1, 'invoice.created');
    expect(await tickets.take(2)).toEqual([ticket, last]);
    expect(await readable.take(2)).toEqual([invoice, paid]);
  });

  test.each([
    ['accountId', { accountId: 'acc_1' }, { accountId: 'acc_2' }],
    ['subjectId', { subjectId: 'ticket_7' }, { subjectId: 'ticket_8' }],
  ])('an event subscriber with the filter %s gets only matching events, whether missed or new', async (_, wanted, other) => {
    const own = organization();
    const [first] = await append(own, 1);
    const write = async (): Promise<string[]> => {
      await append(own, 1, 'ticket.updated', other);
      const ids = await append(own, 2, 'ticket.updated', wanted);
      await append(own, 1);
      return ids;
    };
    const ids = await write();
    const [back, live] = [await follow(own, { after: first as string, ...wanted }), await follow(own, wanted)];
    // both subscriptions start before more events are appended
    const taking = Promise.all([back.take(4), live.take(2)]);
    const later = await write();
    expect(await taking).toEqual([[...ids, ...later], later]);
  });

  test('an event subscriber gets no events of another organization, even if it requests an account of that organization', async () => {
    const [own, other] = [organization(), organization()];
    const [first] = await append(own, 1);
    const foreign = await follow(own, { after: first as string, accountId: 'acc_1' });
    await append(other, 1, 'ticket.created', { accountId: 'acc_1' });
    const [known] = await append(own, 1, 'ticket.created', { accountId: 'acc_1' });
    expect(await foreign.take(1)).toEqual([known]);
  });

  test('an event subscriber that resumes gets all missed events and then all new events', async () => {
    const own = organization();
    const ids = await append(own, 1000);
    const subscriber = await follow(own, { after: ids[99] as string });
    await subscriber.take(300);
    ids.push(...(await append(own, 5)));
    expect(await subscriber.take(905)).toEqual(ids.slice(100));
  });

  test('an event subscriber that starts during concurrent appends gets every event exactly once, in log order', async () => {
    const own = organization();
    const [first] = await append(own, 1);
    let written = 0;
    // a large batch takes longer than small batches that start later
    const write = async (batches: number, size: number): Promise<void> => {
      for (let index = 0; index < batches; index += 1) {
        const ids = await append(own, size);
        written += ids.length;
      }
    };
    const total = 5 * 300 + 100 * 1 + 100 * 2;
    const writing = Promise.all([write(5, 300), write(100, 1), write(100, 2)]);
    const taking = Array.from({ length: 10 }, async (_, index) => {
      await eventually(() => written + 1 > (index * total) / 12);
      return (await follow(own, { after: first as string })).take(total);
    });
    await writing;
    const logged = await (await follow(own, { after: first as string })).take(total);
    expect(new Set(logged).size).toBe(total);
    for (const seen of await Promise.all(taking)) expect(seen).toEqual(logged);
  });

  test('a slow event subscriber loses no events and does not delay other subscribers', async () => {
    const own = organization();
    const [slow, quick] = [await follow(own), await follow(own)];
    const taking = quick.take(1500);
    const ids: string[] = [];
    for (let index = 0; index < 15; index += 1) ids.push(...(await append(own, 100)));
    expect(await taking).toEqual(ids);
    expect(await slow.take(1500)).toEqual(ids);
  });

  test('an event subscriber that waits for the next event stops waiting when its subscription is closed', async () => {
    const subscriber = await follow(organization());
    const waiting = subscriber.stream.next();
    await subscriber.stream.return?.();
    expect(await waiting).toEqual({ value: undefined, done: true });
  });
});

test('an event with 41 subscribers causes fewer than 20 reads of the event log', async () => {
  const own = organization();
  const [first, subscribers] = [await follow(own), 40];
  const reads: string[] = [];
  const read = async () => {
    const all = await Promise.all(Array.from({ length: subscribers }, () => follow(own)));
    const taking = Promise.all([first, ...all].map((one) => one.take(1)));
    const [id] = await append(own, 1);
    expect(await taking).toEqual(Array.from({ length: subscribers + 1 }, () => [id]));
  };
  await platform.assembly.databases.observe(read, { onStatement: (sql) => void reads.push(sql) });
  const ofLog = reads.filter((sql) => sql.startsWith('select') && sql.includes('"event_log"'));
  expect(ofLog.length).toBeLessThan(subscribers / 2);
});

describe('refused subscriptions', () => {
  test('an events subscription with an unknown pattern returns INVALID_PARAMETERS', async () => {
    expect(await refused(organization(), { patterns: ['ticket.*', 'ticket.exploded'] })).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { field: 'patterns.1', value: 'ticket.exploded' },
    });
  });

  test('an events subscription that resumes after an unknown event or an event of another organization returns INVALID_PARAMETERS', async () => {
    const [foreign] = await append(organization(), 1);
    for (const after of ['evt_unknown', '', foreign as string]) {
      expect(await refused(organization(), { after })).toMatchObject({
        code: 'INVALID_PARAMETERS',
        details: { field: 'after', value: after },
      });
    }
  });

  test('an events subscription without webhooks:read returns INSUFFICIENT_PERMISSIONS', async () => {
    expect(await refused(organization(), {}, ['support:read'])).toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { required: 'webhooks:read' },
    });
  });
});

test('an event that is appended several times is delivered to subscribers once', async () => {
  const own = organization();
  const subscriber = await follow(own);
  const event = {
    id: newId('event'),
    organizationId: own,
    event: 'ticket.created',
    subject: { type: 'Ticket', id: 'ticket_1' },
    accountId: null,
    occurredAt: platform.clock.now(),
    payload: '{}',
  };
  await platform.assembly.domains.events.append([event, event]);
  await platform.assembly.domains.events.append([event]);
  const [next] = await append(own, 1);
  expect(await subscriber.take(2)).toEqual([event.id, next]);
});
