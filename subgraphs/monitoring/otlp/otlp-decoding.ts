import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { FieldType, MessageType, Scalar } from './otlp-messages.ts';

/** Maximum number of messages and numbers of a body. A message of two bytes becomes an object of a hundred bytes. */
const MAX_PARTS = 400_000;
/** Maximum depth of messages. The messages of metrics have 7 levels, and each level of a nested attribute adds two. */
const MAX_DEPTH = 40;

type Decoded = Record<string, unknown>;

const malformed = (reason: string): PlatformError =>
  new PlatformError('MALFORMED_REQUEST', `The body is not a valid OTLP request: ${reason}.`);

/** Counts what a body contains, so that a small body cannot use much memory. */
class Budget {
  #parts = 0;

  take(): void {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS)
      throw new PlatformError('BODY_TOO_LARGE', `The body has too many values (more than ${MAX_PARTS}).`, { limit_parts: MAX_PARTS });
  }
}

/**
 * Decodes a message in the protobuf encoding. Unknown fields are skipped.
 * @throws PlatformError MALFORMED_REQUEST if the bytes are not such a message; BODY_TOO_LARGE if it has too many parts
 */
export function decodeProtobuf<T>(type: MessageType, body: Uint8Array): T {
  try {
    // the length of nested messages is checked against the end of their parent
    return readMessage(new BinaryReader(body), type, body.length, 0, new Budget()) as T;
  } catch (cause) {
    if (cause instanceof PlatformError) throw cause;
    throw new PlatformError('MALFORMED_REQUEST', 'The body is not valid protobuf.', {}, { cause });
  }
}

function readMessage(reader: BinaryReader, type: MessageType, end: number, depth: number, budget: Budget): Decoded {
  if (depth > MAX_DEPTH) throw malformed(`it is nested more than ${MAX_DEPTH} levels deep`);
  budget.take();
  const message: Decoded = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = type.fields.get(number);
    if (field) readField(reader, message, field, wireType, end, depth, budget);
    else reader.skip(wireType, number);
    if (reader.pos > end) throw malformed('a field is longer than its message');
  }
  return message;
}

function readField(
  reader: BinaryReader,
  message: Decoded,
  field: FieldType,
  wireType: WireType,
  end: number,
  depth: number,
  budget: Budget,
): void {
  const { name, type, isRepeated } = field;
  const isBlock = typeof type === 'object' || BLOCKS.has(type);
  // numbers of a repeated field come in one block
  const isPacked = isRepeated && !isBlock && wireType === WireType.LengthDelimited;
  if (!isPacked && wireType !== (typeof type === 'object' ? WireType.LengthDelimited : WIRE_TYPES[type]))
    throw malformed(`the field ${name} has the wrong wire type`);
  const length = isPacked || typeof type === 'object' ? reader.uint32() : 0;
  const last = reader.pos + length;
  if (last > end) throw malformed('a field is longer than its message');
  if (isPacked) {
    const list = listIn(message, name);
    while (reader.pos < last) {
      budget.take();
      list.push(SCALARS[type](reader));
    }
    if (reader.pos !== last) throw malformed(`the field ${name} is truncated`);
    return;
  }
  const value = typeof type === 'object' ? readMessage(reader, type, last, depth + 1, budget) : SCALARS[type](reader);
  if (!isRepeated) message[name] = value;
  else {
    if (typeof type !== 'object') budget.take();
    listIn(message, name).push(value);
  }
}

function listIn(message: Decoded, name: string): unknown[] {
  message[name] ??= [];
  return message[name] as unknown[];
}

const BLOCKS: ReadonlySet<Scalar> = new Set(['string', 'bytes', 'hex']);

const WIRE_TYPES: Readonly<Record<Scalar, WireType>> = {
  string: WireType.LengthDelimited,
  bytes: WireType.LengthDelimited,
  hex: WireType.LengthDelimited,
  bool: WireType.Varint,
  uint32: WireType.Varint,
  sint32: WireType.Varint,
  enum: WireType.Varint,
  integer: WireType.Varint,
  varcount: WireType.Varint,
  fixed32: WireType.Bit32,
  double: WireType.Bit64,
  nanos: WireType.Bit64,
  count: WireType.Bit64,
  signed: WireType.Bit64,
};

const SCALARS: Readonly<Record<Scalar, (reader: BinaryReader) => unknown>> = {
  string: (reader) => reader.string(true),
  // a copy would not be needed, but a view would keep the whole body in memory
  bytes: (reader) => Uint8Array.from(reader.bytes()),
  hex: (reader) => Buffer.from(reader.bytes()).toString('hex'),
  bool: (reader) => reader.bool(),
  uint32: (reader) => reader.uint32(),
  sint32: (reader) => reader.sint32(),
  enum: (reader) => reader.int32(),
  integer: (reader) => BigInt(reader.int64()),
  varcount: (reader) => BigInt(reader.uint64()),
  fixed32: (reader) => reader.fixed32(),
  double: (reader) => reader.double(),
  nanos: (reader) => BigInt(reader.fixed64()),
  count: (reader) => BigInt(reader.fixed64()),
  signed: (reader) => BigInt(reader.sfixed64()),
};

/**
 * Decodes a message in the JSON encoding: 64-bit numbers are texts or numbers, ids are hexadecimal. Unknown fields are ignored,
 * as the protocol demands.
 * @throws PlatformError MALFORMED_REQUEST if a field has the wrong type; BODY_TOO_LARGE if it has too many parts
 */
export const decodeJson = <T>(type: MessageType, body: unknown): T => fromJson(type, body, 'the body', 0, new Budget()) as T;

function fromJson(type: MessageType, value: unknown, path: string, depth: number, budget: Budget): Decoded {
  if (depth > MAX_DEPTH) throw malformed(`it is nested more than ${MAX_DEPTH} levels deep`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(`${path} must be an object`);
  budget.take();
  const message: Decoded = {};
  for (const [name, sent] of Object.entries(value)) {
    const field = type.byName.get(name);
    if (!field || sent === null) continue;
    const { type: its, isRepeated } = field;
    const one = (item: unknown): unknown => {
      if (typeof its === 'object') return fromJson(its, item, name, depth + 1, budget);
      if (isRepeated) budget.take();
      return scalarFrom(its, item, name);
    };
    if (isRepeated && !Array.isArray(sent)) throw malformed(`${name} must be a list`);
    message[name] = isRepeated ? (sent as unknown[]).map(one) : one(sent);
  }
  return message;
}

function scalarFrom(type: Scalar, value: unknown, name: string): unknown {
  const found = FROM_JSON[type](value);
  if (found === undefined) throw malformed(`${name} has the wrong type`);
  return found;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads an integer between two limits. */
const integerIn =
  (least: bigint, greatest: bigint) =>
  (value: unknown): bigint | undefined => {
    const isInteger = (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) || Number.isSafeInteger(value) || isWhole(value);
    if (!isInteger) return undefined;
    const read = BigInt(value as string | number);
    return read >= least && read <= greatest ? read : undefined;
  };
/** A JSON number beyond 2^53, such as a time in nanoseconds. It has lost its last digits, but is still meant as an integer. */
const isWhole = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 64;

const unsigned64 = integerIn(0n, 2n ** 64n - 1n);
const signed64 = integerIn(-(2n ** 63n), 2n ** 63n - 1n);
const small =
  (least: bigint, greatest: bigint) =>
  (value: unknown): number | undefined => {
    const read = integerIn(least, greatest)(value);
    return read === undefined ? undefined : Number(read);
  };
const unsigned32 = small(0n, 2n ** 32n - 1n);
const signed32 = small(-(2n ** 31n), 2n ** 31n - 1n);

const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function double(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > 40 || value.trim() === '') return undefined;
  if (Object.hasOwn(SPECIAL, value)) return SPECIAL[value];
  const read = Number(value);
  return Number.isNaN(read) ? undefined : read;
}

const FROM_JSON: Readonly<Record<Scalar, (value: unknown) => unknown>> = {
  string: text,
  bytes: (value) => (typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : undefined),
  hex: (value) => (typeof value === 'string' && /^[0-9a-fA-F]*$/.test(value) ? value.toLowerCase() : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  uint32: unsigned32,
  sint32: signed32,
  enum: signed32,
  integer: signed64,
  varcount: unsigned64,
  fixed32: unsigned32,
  double,
  nanos: unsigned64,
  count: unsigned64,
  signed: signed64,
};
