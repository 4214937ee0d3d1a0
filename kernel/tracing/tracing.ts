import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

const NAME = 'telecom-platform';
/**
 * Matches version, trace id, span id and flags of a `traceparent` header (W3C Trace Context). Additional parts of later
 * versions are ignored.
 */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const LENGTH_MAX = 256;

export interface SpanDetails {
  name: string;
  kind: SpanKind;
  attributes?: Attributes;
}

/** The current span. If no spans are recorded, it is the `traceparent` of the caller. */
const current = new AsyncLocalStorage<Span | string | undefined>();

/**
 * Returns the header if it is a valid `traceparent`. Otherwise, returns undefined, because W3C Trace Context requires
 * that an invalid header is ignored.
 */
export function readTraceparent(header: unknown): string | undefined {
  return typeof header === 'string' && header.length <= LENGTH_MAX && TRACEPARENT.test(header) ? header : undefined;
}

/** Returns the trace id in a valid `traceparent`. */
export const traceIdOf = (header: string | undefined): string | undefined => TRACEPARENT.exec(header ?? '')?.[1];

/** Returns the `traceparent` of the current trace, to pass it on in a header, an event or a job. */
export function traceparent(): string | undefined {
  const here = current.getStore();
  if (typeof here !== 'object') return here;
  const { traceId, spanId, traceFlags } = here.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Returns true if `inTrace` has an effect: the caller sent a `traceparent`, or spans are recorded. */
export const isTraced = (parent: string | null | undefined): boolean => typeof parent === 'string' || tracer() !== undefined;

/**
 * Runs `act` within a trace. If a tracer provider is registered, `act` runs in a new span; otherwise only the
 * `traceparent` of the caller is passed on.
 * If `parent` is undefined, the new span belongs to the current span. If `parent` is null, as for an event that no
 * traced request caused, the new span begins a new trace.
 */
export function inTrace<T>(parent: string | null | undefined, { name, kind, attributes }: SpanDetails, act: () => T): T {
  const own = tracer();
  if (!own) return parent === undefined ? act() : current.run(parent ?? undefined, act);
  const around = contextOf(parent === undefined ? current.getStore() : parent);
  const span = own.startSpan(name, { kind, attributes }, around);
  return current.run(span, () => context.with(trace.setSpan(around, span), () => ended(span, act)));
}

/** Adds an SQL statement to the current span. It is called by `Database.onStatement`. */
export function traceStatement(sql: string): void {
  const here = current.getStore();
  if (typeof here === 'object') here.addEvent('db.query', { 'db.query.text': sql });
}

/**
 * Returns the tracer, or undefined if no tracer provider is registered. OpenTelemetry's `ProxyTracerProvider` is asked
 * for the tracer of its delegate, because its own tracer would create spans that record nothing.
 */
function tracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(NAME) : provider.getTracer(NAME);
}

/**
 * Returns the context of the parent span. If an instrumentation has already opened a span for the request, that span is
 * the parent, because the instrumentation has read the header.
 */
function contextOf(parent: Span | string | null | undefined): Context {
  if (parent === null) return ROOT_CONTEXT;
  if (typeof parent === 'object') return trace.setSpan(context.active(), parent);
  const [, traceId, spanId, flags] = TRACEPARENT.exec(parent ?? '') ?? [];
  if (!traceId || !spanId || trace.getSpan(context.active())) return context.active();
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16), isRemote: true });
}

function ended<T>(span: Span, act: () => T): T {
  const failed = (error: unknown): never => {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    throw error;
  };
  let isUnderWay = false;
  try {
    const result = act();
    if (!(result instanceof Promise)) return result;
    isUnderWay = true;
    return result.catch(failed).finally(() => span.end()) as T;
  } catch (error) {
    return failed(error);
  } finally {
    if (!isUnderWay) span.end();
  }
}
