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
/** Version, trace, span, flags (W3C Trace Context). What a later version appends is not for us. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const LENGTH_MAX = 256;

export interface SpanDetails {
  name: string;
  kind: SpanKind;
  attributes?: Attributes;
}

/** The span that is open, or the caller's `traceparent` where no spans are made. */
const current = new AsyncLocalStorage<Span | string | undefined>();

/** The value of a `traceparent` header; undefined for anything that is none, which W3C wants ignored. */
export function readTraceparent(header: unknown): string | undefined {
  return typeof header === 'string' && header.length <= LENGTH_MAX && TRACEPARENT.test(header) ? header : undefined;
}

/** The `traceparent` of what is being done now: for a header, an event or a job that it leads to. */
export function traceparent(): string | undefined {
  const here = current.getStore();
  if (typeof here !== 'object') return here;
  const { traceId, spanId, traceFlags } = here.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Whether `inTrace` has anything to do. False costs nothing: no caller sent a `traceparent`, and nobody collects spans. */
export const isTraced = (parent: string | null | undefined): boolean => typeof parent === 'string' || tracer() !== undefined;

/**
 * Does what was asked for with a `traceparent`: as a span where a tracer provider is registered, else so that what it leads to says the
 * caller's. Without a `parent` it belongs to what is being done now; with null, as an event has that no traced request led to, to no trace.
 */
export function inTrace<T>(parent: string | null | undefined, { name, kind, attributes }: SpanDetails, act: () => T): T {
  const own = tracer();
  if (!own) return parent === undefined ? act() : current.run(parent ?? undefined, act);
  const around = contextOf(parent === undefined ? current.getStore() : parent);
  const span = own.startSpan(name, { kind, attributes }, around);
  return current.run(span, () => context.with(trace.setSpan(around, span), () => ended(span, act)));
}

/** For `Database.onStatement`. */
export function traceStatement(sql: string): void {
  const here = current.getStore();
  if (typeof here === 'object') here.addEvent('db.query', { 'db.query.text': sql });
}

/** Undefined while no provider is registered: asked of the proxy itself, which would make spans that do nothing. */
function tracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(NAME) : provider.getTracer(NAME);
}

/** An instrumentation that has opened a span for the same request goes before the header, which it has read already. */
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
