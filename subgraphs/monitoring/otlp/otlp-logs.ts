import { createHash } from 'node:crypto';
import { storableText } from '../../../kernel/values/text.ts';
import { LogLevel, levelOf } from '../logs/log.states.ts';
import { REFERENCE_MAX } from '../logs/stored-entry.ts';
import { attributesOf, jsonOf, millisOf, objectOf, SERVICE_ATTRIBUTE, textOf } from './otlp-attributes.ts';
import type { LogRecord, LogsRequest } from './otlp-messages.ts';

/** A log record as an entry of `POST /monitoring/logs`. */
export interface SentEntry {
  message: string;
  level: LogLevel;
  at?: string;
  service_id?: string;
  attributes: Record<string, unknown>;
  trace_id?: string;
  id?: string;
}

/** Attribute by which the semantic conventions identify a record. */
const RECORD_ID = 'log.record.uid';
const ID_MAX = 64;
const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: LogLevel.DEBUG,
  debug: LogLevel.DEBUG,
  info: LogLevel.INFO,
  warn: LogLevel.WARN,
  warning: LogLevel.WARN,
  error: LogLevel.ERROR,
  fatal: LogLevel.ERROR,
  critical: LogLevel.ERROR,
};

/**
 * Returns the log records of a request as entries. The id of an entry is a hash of the whole record, so a request that is sent
 * again adds nothing. Equal records in one request are counted, and each of them is stored.
 */
export function entriesOf({ resourceLogs = [] }: LogsRequest): SentEntry[] {
  const seen = new Map<string, number>();
  const entries: SentEntry[] = [];
  for (const { resource, scopeLogs = [] } of resourceLogs) {
    const common = objectOf(attributesOf(resource?.attributes));
    const origin = JSON.stringify(common);
    for (const { scope, logRecords = [] } of scopeLogs) {
      const ofScope = scope?.name ? { 'otel.scope.name': scope.name } : {};
      for (const record of logRecords) {
        const content = digest(origin, scope?.name ?? '', canonical(record));
        const count = seen.get(content) ?? 0;
        seen.set(content, count + 1);
        entries.push(entryOf(record, { ...common, ...ofScope }, digest(content, String(count))));
      }
    }
  }
  return entries;
}

function entryOf(record: LogRecord, common: Record<string, unknown>, content: string): SentEntry {
  const { severityNumber = 0, severityText = '', body, eventName, traceId, spanId } = record;
  const at = millisOf(record.timeUnixNano) ?? millisOf(record.observedTimeUnixNano);
  const own = objectOf(attributesOf(record.attributes));
  const { [SERVICE_ATTRIBUTE]: serviceId, ...attributes } = { ...common, ...own };
  const named = typeof own[RECORD_ID] === 'string' ? own[RECORD_ID] : '';
  const message = (body && textOf(body)) || eventName || severityText;
  return {
    message: storableText(message) || '(empty)',
    level: severityNumber > 0 ? levelOf(severityNumber) : (LEVELS[severityText.toLowerCase()] ?? LogLevel.INFO),
    attributes: { ...attributes, ...(eventName && { event_name: eventName }), ...(spanId && { span_id: spanId }) },
    ...(serviceId !== undefined && { service_id: textOfJson(serviceId) }),
    ...(traceId && { trace_id: traceId.slice(0, REFERENCE_MAX) }),
    ...(at !== undefined && { at: new Date(at).toISOString(), id: named !== '' && named.length <= ID_MAX ? named : content }),
  };
}

const textOfJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns a text that is the same for the same record in both encodings. */
function canonical({ body, attributes, timeUnixNano = 0n, observedTimeUnixNano = 0n, ...others }: LogRecord): string {
  const { severityNumber = 0, severityText = '', traceId = '', spanId = '', eventName = '' } = others;
  const times = [String(timeUnixNano), String(observedTimeUnixNano)];
  return JSON.stringify([
    ...times,
    severityNumber,
    severityText,
    traceId,
    spanId,
    eventName,
    jsonOf(body ?? {}),
    objectOf(attributesOf(attributes)),
  ]);
}

const digest = (...texts: readonly string[]): string => createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
