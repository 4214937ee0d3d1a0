import { storableText } from '../../../kernel/values/text.ts';
import type { AnyValue, KeyValue } from './otlp-messages.ts';

/** The attribute of a resource, a data point or a log record that names a service of the organization. */
export const SERVICE_ATTRIBUTE = 'platform.service_id';

/** Returns attributes by name. Of attributes with the same name, the first one counts. */
export function attributesOf(listed: readonly KeyValue[] | undefined): Map<string, AnyValue> {
  const found = new Map<string, AnyValue>();
  for (const { key = '', value = {} } of listed ?? []) if (key !== '' && !found.has(key)) found.set(key, value);
  return found;
}

/** Returns a value as JSON. Numbers that JSON does not have are texts. */
export function jsonOf({ stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue }: AnyValue): unknown {
  if (stringValue !== undefined) return storableText(stringValue);
  if (boolValue !== undefined) return boolValue;
  if (intValue !== undefined) return Number.isSafeInteger(Number(intValue)) ? Number(intValue) : String(intValue);
  if (doubleValue !== undefined) return Number.isFinite(doubleValue) ? doubleValue : String(doubleValue);
  if (bytesValue !== undefined) return Buffer.from(bytesValue).toString('base64');
  if (arrayValue !== undefined) return (arrayValue.values ?? []).map(jsonOf);
  if (kvlistValue !== undefined) return objectOf(attributesOf(kvlistValue.values));
  return null;
}

/** Returns attributes as an object. A name that would change the prototype of the object is left out. */
export const objectOf = (attributes: ReadonlyMap<string, AnyValue>): Record<string, unknown> =>
  Object.fromEntries([...attributes].filter(([name]) => name !== '__proto__').map(([name, value]) => [storableText(name), jsonOf(value)]));

/** Returns a value as a text. */
export function textOf(value: AnyValue): string {
  const json = jsonOf(value);
  if (typeof json === 'string') return json;
  return json === null ? '' : typeof json === 'object' ? JSON.stringify(json) : String(json);
}

/** Returns a time in milliseconds since 1970. Undefined if it is missing, or beyond the times that can be stored. */
export function millisOf(nanos: bigint | undefined): number | undefined {
  if (!nanos) return undefined;
  const ms = Number(nanos / 1_000_000n);
  return ms <= MAX_MS ? ms : undefined;
}

/** Milliseconds of the year 9999. */
const MAX_MS = Date.UTC(9999, 0);
