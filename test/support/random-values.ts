import type { Json } from '../tenant.ts';
import { resolved } from './operations.ts';

/** Returns a generator of numbers from 0 to 1 (Mulberry32). The same seed gives the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Example values of formats for which the schema has no pattern. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  cidr: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
  'country-code': ['US', 'DE', 'FR'],
  'currency-code': ['USD', 'EUR', 'GBP'],
  date: ['2026-12-25', '2027-01-01'],
  email: ['ada@example.com', 'grace.hopper@acme.example.com'],
  'event-pattern': ['*', 'ticket.*', 'ticket.created', 'comment.added'],
  hostname: ['example.com', 'acme.example.org'],
  'time-zone': ['UTC', 'Europe/Berlin', 'America/New_York'],
  uri: ['https://example.com/', 'https://app.example.com/callback'],
};
const LETTERS = 'abcdefghij klmnopqrstuvwxyz ABCDEFGHIJ 0123456789';
/** Maximum lengths of texts and lists. Longer values would not test more. */
const [LONGEST_TEXT, LONGEST_LIST] = [60, 3];

export interface Chooser {
  random(): number;
  /**
   * Returns the value of a field for which random values do not work, such as the id of an existing record or a reachable
   * URL. Returns `undefined` if the field can have a random value.
   */
  known(name: string, schema: Json): Promise<Json> | Json | undefined;
  now: Date;
}

/**
 * A random value that is valid by a schema of the OpenAPI document. Half of the optional fields are included. A quarter
 * of the values that can be null are null.
 */
export async function randomValue(nullable: Json, name: string, chooser: Chooser): Promise<Json> {
  const described = withoutNull(nullable);
  if (described !== nullable && chooser.random() < 0.25) return null;
  const schema = { ...resolved(described), ...(described.$ref && { enum: described.enum ?? resolved(described).enum }) };
  const known = await chooser.known(name, schema);
  if (known !== undefined) return known;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return randomValue(pick(alternatives, chooser), name, chooser);
  if (schema.enum) return pick(schema.enum, chooser);
  if (schema.const !== undefined) return schema.const;
  if (schema.type === 'array') return randomList(schema, name, chooser);
  if (schema.type === 'object') return randomObject(schema, chooser);
  if (schema.type === 'boolean') return chooser.random() < 0.5;
  if (schema.type === 'integer')
    return between(schema.minimum ?? 0, Math.min(schema.maximum ?? 1000, (schema.minimum ?? 0) + 1000), chooser);
  if (schema.type === 'number') return between(schema.minimum ?? 0, schema.maximum ?? 1000, chooser);
  return randomText(schema, chooser);
}

/** Returns the schema of the values without null. */
function withoutNull(schema: Json): Json {
  if (Array.isArray(schema.type)) {
    const [type] = schema.type;
    return { ...schema, type, ...(schema.enum && { enum: schema.enum.filter((value: Json) => value !== null) }) };
  }
  const others = schema.oneOf?.filter((one: Json) => one.type !== 'null');
  return others && others.length < schema.oneOf.length ? others[0] : schema;
}

export const pick = <T>(list: readonly T[], { random }: Pick<Chooser, 'random'>): T => list[Math.floor(random() * list.length)] as T;
const between = (min: number, max: number, { random }: Chooser): number => min + Math.floor(random() * (max - min + 1));

async function randomObject({ properties = {}, required = [] }: Json, chooser: Chooser): Promise<Json> {
  const result: Record<string, Json> = {};
  for (const [name, schema] of Object.entries<Json>(properties)) {
    if (required.includes(name) || chooser.random() < 0.5) result[name] = await randomValue(schema, name, chooser);
  }
  return result;
}

async function randomList(
  { items, minItems = 0, maxItems = LONGEST_LIST, uniqueItems }: Json,
  name: string,
  chooser: Chooser,
): Promise<Json> {
  const length = between(minItems, Math.max(minItems, Math.min(maxItems, LONGEST_LIST)), chooser);
  const list: Json[] = [];
  for (let index = 0; index < length; index += 1) list.push(await randomValue(items, name, chooser));
  return uniqueItems ? [...new Set(list)] : list;
}

function randomText({ format, pattern, minLength = 0, maxLength = LONGEST_TEXT }: Json, chooser: Chooser): string {
  const day = 86_400_000;
  if (format === 'date-time') return new Date(chooser.now.getTime() + between(0, 300, chooser) * day).toISOString();
  if (format && FORMATS[format]) return pick(FORMATS[format], chooser);
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(text));
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const text = pattern && attempt > 2 ? matching(pattern, chooser) : letters(minLength, Math.min(maxLength, LONGEST_TEXT), chooser);
    if (fits(text)) return text;
  }
  throw new Error(`Found no text for ${pattern}.`);
}

const letters = (min: number, max: number, chooser: Chooser): string =>
  Array.from({ length: between(min, Math.max(min, max), chooser) }, () => pick([...LETTERS], chooser)).join('');

/** A text that matches a pattern, except for lookaround assertions; the caller checks the text afterwards. */
function matching(pattern: string, chooser: Chooser): string {
  let at = 0;
  const peek = () => pattern[at];
  const alternatives = (): string => {
    const options = [sequence()];
    while (peek() === '|') {
      at += 1;
      options.push(sequence());
    }
    return pick(options, chooser);
  };
  const sequence = (): string => {
    let text = '';
    while (at < pattern.length && peek() !== '|' && peek() !== ')') text += repeated();
    return text;
  };
  const repeated = (): string => {
    const start = at;
    const first = atom();
    const end = at;
    const [min, max] = repetition();
    const after = at;
    const count = between(min, max, chooser);
    let text = count > 0 ? first : '';
    for (let index = 1; index < count; index += 1) {
      at = start;
      text += atom();
      at = end;
    }
    at = after;
    return text;
  };
  const repetition = (): [number, number] => {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(pattern.slice(at));
    if (!found) return [1, 1];
    at += found[0].length;
    const [, sign, low, comma, high] = found;
    if (sign) return sign === '?' ? [0, 1] : [sign === '+' ? 1 : 0, 5];
    const min = Number(low);
    return [min, comma ? Math.min(high ? Number(high) : min + 5, min + 10) : min];
  };
  const atom = (): string => {
    const character = peek() as string;
    at += 1;
    if (character === '^' || character === '$') return '';
    if (character === '.') return 'x';
    if (character === '[') return oneOfClass();
    if (character === '\\') return escaped(pattern[at++] as string);
    if (character !== '(') return character;
    const isAssertion = /^\?[=!]/.test(pattern.slice(at));
    if (pattern[at] === '?') at += 2;
    const text = alternatives();
    at += 1;
    return isAssertion ? '' : text;
  };
  const escaped = (character: string): string => {
    if (character === 'p') {
      at = pattern.indexOf('}', at) + 1;
      return 'a';
    }
    return { d: '7', w: 'w', s: ' ', S: 'S' }[character] ?? character;
  };
  const oneOfClass = (): string => {
    const start = at;
    while (pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
    const test = new RegExp(`[${pattern.slice(start, at)}]`, 'u');
    at += 1;
    const candidates = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter((one) => test.test(one));
    return pick(candidates, chooser);
  };
  return alternatives();
}
