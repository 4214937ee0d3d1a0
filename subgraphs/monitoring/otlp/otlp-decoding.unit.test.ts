import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { decodeJson, decodeProtobuf } from './otlp-decoding.ts';
import { entriesOf } from './otlp-logs.ts';
import { type FieldType, LOGS_REQUEST, type LogsRequest, METRICS_REQUEST, type MessageType, type MetricsRequest } from './otlp-messages.ts';
import { pointsOf } from './otlp-metrics.ts';

/** Runs `act`, which may refuse its input, but must not fail in any other way. */
function survives(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(PlatformError);
    expect([400, 413]).toContain((error as PlatformError).status);
  }
}

const readMetrics = (message: MetricsRequest): unknown => pointsOf(message);
const readLogs = (message: LogsRequest): unknown => entriesOf(message);

/** Values that a client may send for a field: of its type, of another type, and extreme ones. */
function valuesOf({ type, isRepeated }: FieldType, depth: number): fc.Arbitrary<unknown> {
  const one =
    typeof type === 'object'
      ? messageOf(type, depth + 1)
      : fc.oneof(
          fc.constantFrom<unknown>(0, -1, 1, 2, 1e308, -1e308, 1.5, 2 ** 63, 2 ** 64, '18446744073709551615', '-9223372036854775808'),
          fc.constantFrom<unknown>('NaN', 'Infinity', '', '1', 'abc', '\u0000', '\ud800', '__proto__', true, null, [], {}),
        );
  return isRepeated ? fc.oneof({ weight: 9, arbitrary: fc.array(one, { maxLength: 3 }) }, { weight: 1, arbitrary: fc.constant('x') }) : one;
}

function messageOf({ byName }: MessageType, depth = 0): fc.Arbitrary<unknown> {
  if (depth > 9) return fc.constant({});
  const fields = Object.fromEntries([...byName].map(([name, field]) => [name, fc.constant(null).chain(() => valuesOf(field, depth))]));
  return fc.record(fields, { requiredKeys: [] });
}

describe('the OTLP decoder', () => {
  test('any bytes are decoded or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        survives(() => readMetrics(decodeProtobuf(METRICS_REQUEST, bytes)));
        survives(() => readLogs(decodeProtobuf(LOGS_REQUEST, bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  test('a message that is cut or changed anywhere is decoded or refused', () => {
    const bytes = Buffer.from(
      // a gauge with a data point and an attribute, a histogram with packed counts, and a resource
      '0a5e0a160a140a0c736572766963652e6e616d6512040a02736812441a0012400a046c6f61642a380a36190000c16f2a8a5e17210000000000000840' +
        '3a200a05686f73740a12170a150a136120766572792073696d706c652076616c7565',
      'hex',
    );
    for (let at = 0; at < bytes.length; at += 1) {
      survives(() => readMetrics(decodeProtobuf(METRICS_REQUEST, bytes.subarray(0, at))));
      for (const value of [0, 0x0a, 0x7f, 0x80, 0xff]) {
        const changed = Uint8Array.from(bytes);
        changed[at] = value;
        survives(() => readMetrics(decodeProtobuf(METRICS_REQUEST, changed)));
      }
    }
  });

  test('any JSON is decoded or refused', () => {
    fc.assert(
      fc.property(messageOf(METRICS_REQUEST), (message) => survives(() => readMetrics(decodeJson(METRICS_REQUEST, message)))),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(messageOf(LOGS_REQUEST), (message) => survives(() => readLogs(decodeJson(LOGS_REQUEST, message)))),
      { numRuns: 500 },
    );
  });
});
