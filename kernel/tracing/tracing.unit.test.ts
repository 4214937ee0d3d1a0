import { type Context, type Span, SpanKind, type SpanOptions, trace } from '@opentelemetry/api';
import { afterEach, expect, test } from 'vitest';
import { inTrace, isTraced, readTraceparent, traceparent, traceStatement } from './tracing.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const WORK = { name: 'work', kind: SpanKind.INTERNAL };

interface Recorded {
  name: string;
  parent: string | undefined;
  id: string;
  events: string[];
  failed: boolean;
  isEnded: boolean;
}

/** Registers a tracer provider. Returns the array to which the provider adds each started span. */
function collect(): Recorded[] {
  const spans: Recorded[] = [];
  const startSpan = (name: string, _: SpanOptions, around: Context): Span => {
    const parent = trace.getSpanContext(around);
    const span: Recorded = {
      name,
      parent: parent?.spanId,
      id: `${spans.length + 1}`.padStart(16, '0'),
      events: [],
      failed: false,
      isEnded: false,
    };
    spans.push(span);
    return {
      spanContext: () => ({ traceId: parent?.traceId ?? 'f'.repeat(32), spanId: span.id, traceFlags: 1 }),
      addEvent: (event: string) => void span.events.push(event),
      setStatus: () => void Object.assign(span, { failed: true }),
      end: () => void Object.assign(span, { isEnded: true }),
    } as unknown as Span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  return spans;
}
afterEach(() => trace.disable());

test.each([
  ['a valid value is accepted', PARENT, PARENT],
  ['a later version is accepted', `01${PARENT.slice(2)}-more`, `01${PARENT.slice(2)}-more`],
  ['version ff is ignored', `ff${PARENT.slice(2)}`, undefined],
  ['a span of zeros is ignored', `${PARENT.slice(0, 36)}${'0'.repeat(16)}-01`, undefined],
  ['upper case is ignored', PARENT.toUpperCase(), undefined],
  ['two values is ignored', [PARENT, PARENT], undefined],
  ['more than 256 characters is ignored', `01${PARENT.slice(2)}-${'a'.repeat(250)}`, undefined],
])('a traceparent header with %s', (_, header, expected) => {
  expect(readTraceparent(header)).toBe(expected);
});

test('without a tracer provider, inTrace passes a traceparent on unchanged and starts no trace', async () => {
  expect([isTraced(PARENT), isTraced(null), isTraced(undefined)]).toEqual([true, false, false]);
  const seen = inTrace(PARENT, WORK, async () => inTrace(undefined, WORK, async () => traceparent()));
  expect(await seen).toBe(PARENT);
  expect(inTrace(undefined, WORK, traceparent)).toBeUndefined();
});

test('inTrace with null as the parent does not continue the current trace', () => {
  expect(inTrace(PARENT, WORK, () => inTrace(null, WORK, traceparent))).toBeUndefined();
  const spans = collect();
  inTrace(PARENT, WORK, () => inTrace(null, WORK, traceparent));
  expect(spans.map(({ parent }) => parent)).toEqual(['00f067aa0ba902b7', undefined]);
});

test('with a tracer provider, inTrace starts a span that is a child of the given traceparent or of the current span', async () => {
  const spans = collect();
  expect(isTraced(undefined)).toBe(true);
  const inner = await inTrace(PARENT, WORK, async () => inTrace(undefined, { ...WORK, name: 'inner' }, () => traceparent()));
  expect(inner).toBe('00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000002-01');
  expect(spans).toMatchObject([
    { name: 'work', parent: '00f067aa0ba902b7', isEnded: true, failed: false },
    { name: 'inner', parent: '0000000000000001', isEnded: true, failed: false },
  ]);
});

test('a span records each SQL statement as a span event, and is marked as failed if its work throws an error', async () => {
  const spans = collect();
  const failing = inTrace(undefined, WORK, async () => {
    traceStatement('select 1');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(() => inTrace(undefined, WORK, () => JSON.parse('{'))).toThrow();
  expect(spans).toMatchObject([
    { events: ['db.query'], failed: true, isEnded: true },
    { events: [], failed: true, isEnded: true },
  ]);
});
