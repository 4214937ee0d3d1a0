import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { rows } from './support/tables.ts';
import type { Json, Tenant } from './tenant.ts';

/** Response to an OTLP request. The body was read in the encoding that the request had. */
export interface OtlpResponse {
  status: number;
  headers: Headers;
  /** Partial success: the number of rejected items and the reason. Undefined if all items were accepted. */
  partial: { rejected: number; message: string } | undefined;
  /** Error: the gRPC code and the message. Undefined if the request succeeded. */
  error: { code: number; message: string } | undefined;
}

export interface SendOptions {
  type?: string;
  headers?: Record<string, string>;
}

/** Sends a body to an OTLP path, such as `metrics`. An object is sent as JSON, bytes as protobuf. */
export async function sendOtlp(by: Tenant, signal: string, body: Json | Uint8Array, options: SendOptions = {}): Promise<OtlpResponse> {
  const isBytes = body instanceof Uint8Array;
  const response = await fetch(`${by.origin}/otlp/v1/${signal}`, {
    method: 'POST',
    headers: {
      ...by.credentials,
      'content-type': options.type ?? (isBytes ? 'application/x-protobuf' : 'application/json'),
      ...options.headers,
    },
    body: isBytes ? new Uint8Array(body) : JSON.stringify(body),
  });
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isProtobuf = headers.get('content-type') === 'application/x-protobuf';
  const read = isProtobuf ? fieldsOf(bytes) : fieldsOfJson(JSON.parse(Buffer.from(bytes).toString()) as Json);
  if (status !== 200) return { status, headers, partial: undefined, error: { code: Number(read[0]), message: String(read[1]) } };
  const inner = isProtobuf ? (read[0] instanceof Uint8Array ? fieldsOf(read[0]) : undefined) : read;
  return {
    ...{ status, headers, error: undefined },
    partial: inner && inner[0] !== undefined ? { rejected: Number(inner[0]), message: String(inner[1]) } : undefined,
  };
}

const fieldsOfJson = ({ code, message, partialSuccess = {} }: Json): unknown[] =>
  code === undefined
    ? [partialSuccess.rejectedDataPoints ?? partialSuccess.rejectedLogRecords, partialSuccess.errorMessage]
    : [code, message];

/** Reads fields 1 and 2 of a message. Field 2 is a text. */
function fieldsOf(bytes: Uint8Array): unknown[] {
  const reader = new BinaryReader(bytes);
  const found: unknown[] = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.Varint) found[number - 1] = Number(reader.int64());
    else found[number - 1] = number === 2 ? reader.string() : reader.bytes();
  }
  return found;
}

/** Returns the protobuf bytes of fields, in their order. A list is a nested message. */
export function protobuf(...fields: readonly (readonly [number: number, value: string | Uint8Array | number | bigint])[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of fields) {
    if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
    else if (value instanceof Uint8Array) writer.tag(number, WireType.LengthDelimited).bytes(value);
    else if (typeof value === 'bigint') writer.tag(number, WireType.Bit64).fixed64(value);
    else writer.tag(number, WireType.Bit64).double(value);
  }
  return writer.finish();
}

/** A request with one metric, as JSON. `attributes` are those of the resource. */
export const metricsRequest = (metrics: readonly Json[], attributes: Record<string, Json> = {}): Json => ({
  resourceMetrics: [{ resource: { attributes: attributesOf(attributes) }, scopeMetrics: [{ metrics }] }],
});

/** A request with log records, as JSON. */
export const logsRequest = (logRecords: readonly Json[], attributes: Record<string, Json> = {}): Json => ({
  resourceLogs: [{ resource: { attributes: attributesOf(attributes) }, scopeLogs: [{ logRecords }] }],
});

export const attributesOf = (attributes: Record<string, Json>): Json[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: typeof value === 'string' ? { stringValue: value } : value }));

/** A sample with its series. */
export interface StoredSample {
  name: string;
  type: string;
  is_delta: boolean;
  unit: string | null;
  service_id: string | null;
  labels: Json;
  value: number;
}

/** Returns the samples that an organization has sent, by metric. */
export const samplesOf = async ({ organizationId }: Tenant): Promise<StoredSample[]> =>
  (await rows()).query<StoredSample>(
    `select m."name", m."type", n."is_delta", m."unit", n."service_id", n."labels", s."value" from "monitoring"."sample" s
     join "monitoring"."series" n on n."id" = s."series_id" join "monitoring"."metric" m on m."id" = n."metric_id"
     where n."organization_id" = $1 and not n."is_measured" order by m."name", s."at", s."value"`,
    [organizationId],
  );

/** Returns the log entries that an organization has sent. */
export const entriesOf = async (tenant: Tenant, query = ''): Promise<Json[]> =>
  (await tenant.rest('POST', '/monitoring/logs/search', { body: { query: `source:ingest ${query}` } })).body.data;
