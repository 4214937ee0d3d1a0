import { createHash } from 'node:crypto';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import type { LogLine } from '../../../kernel/log/organization-log.ts';
import { type RedactionCount, redactText, redactValue } from '../../../kernel/log/redaction.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { PREFIXES } from '../../../kernel/values/id-prefixes.ts';
import { storableText } from '../../../kernel/values/text.ts';
import type { LogLevel } from './log.states.ts';
import type { StoredEntry } from './log.store.ts';
import { MESSAGE_MAX } from './log.types.ts';

/** Maximum length of request ids and trace ids. */
export const REFERENCE_MAX = 128;

/** A log line with the values that are determined when it is stored. */
export interface CompleteLine extends LogLine {
  at: Date;
  /** Account of the service. Null if the line does not concern a service. */
  accountId: string | null;
  /** Key that identifies the log line, so that it is stored once. Default: every line is stored. */
  key?: string | undefined;
}

/**
 * Returns the stored form of a log line. Removes secrets before it cuts texts that are too long, so that no part of a secret remains at the
 * end.
 */
export function storedEntryOf(line: CompleteLine, count: RedactionCount): StoredEntry {
  const attributes = redactValue(storable(line.attributes ?? {}), count) as Record<string, unknown>;
  const isTooLarge = Buffer.byteLength(JSON.stringify(attributes)) > MAX_JSON;
  return {
    id: line.key === undefined ? newId('logEntry') : derivedId(line.organizationId, line.key),
    organizationId: line.organizationId,
    at: line.at,
    level: line.level as LogLevel,
    source: line.source,
    message: cut(redactText(storableText(line.message), count), MESSAGE_MAX),
    attributes: isTooLarge ? { truncated: true } : attributes,
    serviceId: line.accountId === null ? null : (line.serviceId ?? null),
    accountId: line.accountId,
    requestId: reference(line.requestId),
    traceId: reference(line.traceId),
  };
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns the id of a log entry with a key. The same key always results in the same id, so that a repeated entry is stored once. The id has
 * the same format as other ids.
 */
function derivedId(organizationId: string, key: string): string {
  const bytes = createHash('sha256').update(`${organizationId} ${key}`).digest();
  return `${PREFIXES.logEntry}_0${Array.from(bytes.subarray(0, 25), (byte) => ALPHABET[byte % 32]).join('')}`;
}

const reference = (text: string | undefined): string | null => (text ? storableText(text).slice(0, REFERENCE_MAX) : null);

/** Converts a value to JSON that can be stored. Values that JSON cannot represent, such as functions, are left out. */
const storable = (value: object): unknown =>
  JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
    if (typeof inner === 'string') return storableText(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [storableText(name), one]));
  });

/** Cuts a text to a maximum number of bytes in UTF-8. */
function cut(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  // a character that is cut in two becomes U+FFFD, which is removed
  return all
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
