/**
 * The messages of OTLP (opentelemetry-proto 1.x) that the platform reads: the fields of each, by number. Fields that are not
 * here are skipped, as the protocol demands.
 */

/** Encoding of a field. `nanos`, `count`, `signed` and `integer` are 64-bit numbers, which JSON writes as texts. */
export type Scalar =
  | 'string'
  | 'bool'
  | 'double'
  | 'uint32'
  | 'sint32'
  | 'fixed32'
  | 'enum'
  | 'nanos'
  | 'count'
  | 'signed'
  | 'integer'
  | 'varcount'
  | 'bytes'
  | 'hex';

export interface FieldType {
  name: string;
  type: Scalar | MessageType;
  isRepeated: boolean;
}

/** A message type. The fields of messages that contain each other are set later. */
export interface MessageType {
  fields: ReadonlyMap<number, FieldType>;
  byName: ReadonlyMap<string, FieldType>;
}

type Fields = Readonly<Record<number, readonly [name: string, type: Scalar | MessageType, repeated?: 'repeated']>>;

function message(fields: Fields): MessageType {
  const listed = Object.entries(fields).map(
    ([number, [name, type, repeated]]) => [Number(number), { name, type, isRepeated: repeated !== undefined }] as const,
  );
  return { fields: new Map(listed), byName: new Map(listed.map(([, field]) => [field.name, field])) };
}

const anyValue: MessageType = { fields: new Map(), byName: new Map() };
const keyValue = message({ 1: ['key', 'string'], 2: ['value', anyValue] });
Object.assign(
  anyValue,
  message({
    1: ['stringValue', 'string'],
    2: ['boolValue', 'bool'],
    3: ['intValue', 'integer'],
    4: ['doubleValue', 'double'],
    5: ['arrayValue', message({ 1: ['values', anyValue, 'repeated'] })],
    6: ['kvlistValue', message({ 1: ['values', keyValue, 'repeated'] })],
    7: ['bytesValue', 'bytes'],
  }),
);

const resource = message({ 1: ['attributes', keyValue, 'repeated'] });
const scope = message({ 1: ['name', 'string'] });

const numberPoint = message({
  7: ['attributes', keyValue, 'repeated'],
  3: ['timeUnixNano', 'nanos'],
  4: ['asDouble', 'double'],
  6: ['asInt', 'signed'],
  8: ['flags', 'uint32'],
});

const histogramPoint = message({
  9: ['attributes', keyValue, 'repeated'],
  3: ['timeUnixNano', 'nanos'],
  4: ['count', 'count'],
  5: ['sum', 'double'],
  6: ['bucketCounts', 'count', 'repeated'],
  7: ['explicitBounds', 'double', 'repeated'],
  10: ['flags', 'uint32'],
  11: ['min', 'double'],
  12: ['max', 'double'],
});

const buckets = message({ 1: ['offset', 'sint32'], 2: ['bucketCounts', 'varcount', 'repeated'] });
const exponentialPoint = message({
  1: ['attributes', keyValue, 'repeated'],
  3: ['timeUnixNano', 'nanos'],
  4: ['count', 'count'],
  5: ['sum', 'double'],
  6: ['scale', 'sint32'],
  7: ['zeroCount', 'count'],
  8: ['positive', buckets],
  9: ['negative', buckets],
  10: ['flags', 'uint32'],
  12: ['min', 'double'],
  13: ['max', 'double'],
  14: ['zeroThreshold', 'double'],
});

const summaryPoint = message({ 3: ['timeUnixNano', 'nanos'] });

const metric = message({
  1: ['name', 'string'],
  2: ['description', 'string'],
  3: ['unit', 'string'],
  5: ['gauge', message({ 1: ['dataPoints', numberPoint, 'repeated'] })],
  7: ['sum', message({ 1: ['dataPoints', numberPoint, 'repeated'], 2: ['aggregationTemporality', 'enum'], 3: ['isMonotonic', 'bool'] })],
  9: ['histogram', message({ 1: ['dataPoints', histogramPoint, 'repeated'], 2: ['aggregationTemporality', 'enum'] })],
  10: ['exponentialHistogram', message({ 1: ['dataPoints', exponentialPoint, 'repeated'], 2: ['aggregationTemporality', 'enum'] })],
  11: ['summary', message({ 1: ['dataPoints', summaryPoint, 'repeated'] })],
});

/** `ExportMetricsServiceRequest`. */
export const METRICS_REQUEST = message({
  1: [
    'resourceMetrics',
    message({
      1: ['resource', resource],
      2: ['scopeMetrics', message({ 1: ['scope', scope], 2: ['metrics', metric, 'repeated'] }), 'repeated'],
    }),
    'repeated',
  ],
});

const logRecord = message({
  1: ['timeUnixNano', 'nanos'],
  11: ['observedTimeUnixNano', 'nanos'],
  2: ['severityNumber', 'enum'],
  3: ['severityText', 'string'],
  5: ['body', anyValue],
  6: ['attributes', keyValue, 'repeated'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  12: ['eventName', 'string'],
});

/** `ExportLogsServiceRequest`. */
export const LOGS_REQUEST = message({
  1: [
    'resourceLogs',
    message({
      1: ['resource', resource],
      2: ['scopeLogs', message({ 1: ['scope', scope], 2: ['logRecords', logRecord, 'repeated'] }), 'repeated'],
    }),
    'repeated',
  ],
});

/** A value of any type. At most one field is set. Numbers beyond 2^53 are a bigint. */
export interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: bigint;
  doubleValue?: number;
  arrayValue?: { values?: AnyValue[] };
  kvlistValue?: { values?: KeyValue[] };
  bytesValue?: Uint8Array;
}

export interface KeyValue {
  key?: string;
  value?: AnyValue;
}

interface Point {
  attributes?: KeyValue[];
  timeUnixNano?: bigint;
  flags?: number;
}

export interface NumberPoint extends Point {
  asDouble?: number;
  asInt?: bigint;
}

interface Distribution extends Point {
  count?: bigint;
  sum?: number;
  min?: number;
  max?: number;
}

export interface HistogramPoint extends Distribution {
  bucketCounts?: bigint[];
  explicitBounds?: number[];
}

export interface Buckets {
  offset?: number;
  bucketCounts?: bigint[];
}

export interface ExponentialPoint extends Distribution {
  scale?: number;
  zeroCount?: bigint;
  positive?: Buckets;
  negative?: Buckets;
}

export interface OtlpMetric {
  name?: string;
  description?: string;
  unit?: string;
  gauge?: { dataPoints?: NumberPoint[] };
  sum?: { dataPoints?: NumberPoint[]; aggregationTemporality?: number; isMonotonic?: boolean };
  histogram?: { dataPoints?: HistogramPoint[]; aggregationTemporality?: number };
  exponentialHistogram?: { dataPoints?: ExponentialPoint[]; aggregationTemporality?: number };
  summary?: { dataPoints?: Point[] };
}

interface OtlpResource {
  attributes?: KeyValue[];
}

interface Scope {
  name?: string;
}

export interface MetricsRequest {
  resourceMetrics?: { resource?: OtlpResource; scopeMetrics?: { scope?: Scope; metrics?: OtlpMetric[] }[] }[];
}

export interface LogRecord {
  timeUnixNano?: bigint;
  observedTimeUnixNano?: bigint;
  severityNumber?: number;
  severityText?: string;
  body?: AnyValue;
  attributes?: KeyValue[];
  traceId?: string;
  spanId?: string;
  eventName?: string;
}

export interface LogsRequest {
  resourceLogs?: { resource?: OtlpResource; scopeLogs?: { scope?: Scope; logRecords?: LogRecord[] }[] }[];
}
