import type { Json } from '../tenant.ts';

/** The text in the text fields of all records that are created for examples. `polish` replaces this text with realistic text. */
export const LABEL = 'Recorded Example';

/** Realistic texts, by id prefix and field of the record, or by the field alone. */
const WORDS: Readonly<Record<string, string>> = {
  'agent.name': 'Ada Diaz',
  'ak.name': 'Billing export',
  'art.title': 'What the lights of your modem mean',
  'art.body': 'A steady light means that the line is up.',
  'cert.name': 'Warehouse gateway',
  'client.name': 'Customer portal',
  'inv.description': 'Fiber, 350 Fifth Avenue',
  'iss.name': 'Acme identity service',
  'saml.name': 'Acme single sign-on',
  'sla.name': 'Gold',
  'svc.name': 'Fiber, 350 Fifth Avenue',
  'user.name': 'Grace Hopper',
  address: '350 Fifth Avenue',
  administrator: 'Grace Hopper',
  body: 'We are on it.',
  content: 'We are on it.',
  description: 'The modem has had no light since 9:30.',
  name: 'Acme Corporation',
  notes: 'Thank you for your business.',
  rule_name: 'Outages first',
  title: 'Internet connection is down',
  username: 'support-bot@acme.example.com',
};
const OTHER_WORDS = 'Internet connection is down';
/** Fields that are the same in every example. */
const FIXED: Readonly<Record<string, string>> = { jira_url: 'https://acme.atlassian.net' };

const ULID = '[0-9A-HJKMNP-TV-Z]{26}';
const ID = new RegExp(`\\b([a-z]+)_${ULID}\\b`, 'g');
const LOWER_ULID = '[0-9a-hjkmnp-tv-z]{26}';
/** Replacements for unique values of a test run and for local addresses. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b[a-z]+_${LOWER_ULID}(@|%40)example\\.com`, 'g'), 'grace$1acme.example.com'],
  [new RegExp(`^${LABEL} [a-z]+_${ULID}$`), LABEL],
  [new RegExp(`\\biss_${LOWER_ULID}\\.example\\.com`, 'g'), 'tokens.example.com'],
  [new RegExp(`\\breq-${LOWER_ULID}\\.example\\.com`, 'g'), 'acme.example.com'],
  [new RegExp(`\\bINTG${ULID}`, 'g'), 'SUP'],
  [/\bhttps?:\/\/127\.0\.0\.1:\d+\/hook[^\s"]*/g, 'https://hooks.example.com/telecom'],
  [/\bhttps?:\/\/127\.0\.0\.1:\d+/g, 'https://api.example.com'],
  [/\b127\.0\.0\.1:\d+/g, 'api.example.com'],
  [/\b(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)\b/g, '203.0.113.7'],
  [/data:image\/[^\s"]+/g, 'data:image/png;base64,iVBORw0KGgo='],
  [/-----BEGIN ([A-Z ]+)-----[^-]+-----END/g, '-----BEGIN $1-----\nMIIBEXAMPLE=\n-----END'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJSUzI1NiJ9.EXAMPLE.EXAMPLE'],
  [/secret=[A-Z2-7]+/g, 'secret=EXAMPLE'],
  [/\bsignature=[\w-]{20,}/g, 'signature=EXAMPLE'],
  [/\bexpires=\d{10}/g, 'expires=1769851800'],
  [/verification=[0-9a-f]{40}/g, 'verification=0123456789abcdef0123456789abcdef01234567'],
  [/^(\+\d\*+)\d\d$/, '$100'],
  [/…\w{4}$/, '…1a2b'],
  [/\bCN=client-\d+, O=Test\b/g, 'CN=warehouse-gateway, O=Acme Corporation'],
  [/^Test( User)?$/, LABEL],
  [/\b(sk_live|whsec|rt|cs|dlv_secret)_[A-Za-z0-9+/=_-]{16,}/g, '$1_EXAMPLEEXAMPLEEXAMPLE'],
];
/** Names of fields whose value is a secret or is computed from a secret. */
const SECRETS = /secret|password|token$|fingerprint|serial|digest|^key$|_hint$|^last4$|^codes?$|backup_codes/;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
/** The time at which all examples take place. */
const NOW = Date.parse('2026-01-31T09:30:00.000Z');
const TODAY = Date.parse('2026-01-31T00:00:00.000Z');
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];

/** The maximum number of entries of each list in an example. */
const ENTRIES = 2;
const TEXT_LENGTH = 400;

/**
 * Converts a recorded response to an example: fixed ids, times and secrets, realistic names and short lists. `at` is
 * the time of the recording.
 */
export function polish(body: Json, at: Date): Json {
  return new Polisher(at).value(body, '', '');
}

class Polisher {
  readonly #ids = new Map<string, string>();
  readonly #at: Date;

  constructor(at: Date) {
    this.#at = at;
  }

  /** Converts one value of a response. `kind` is the id prefix of the innermost record that contains the value. */
  value(value: Json, field: string, kind: string): Json {
    // the newest measurements are the last ones of a series
    if (Array.isArray(value))
      return (field === 'series' ? value.slice(-ENTRIES) : value.slice(0, ENTRIES)).map((item) => this.value(item, field, kind));
    if (typeof value === 'string') return this.#text(value, field, kind);
    if (typeof value !== 'object' || value === null) return value;
    return this.#record(value, kind);
  }

  #record(record: Record<string, Json>, around: string): Json {
    const kind = typeof record.id === 'string' ? (/^([a-z]+)_/.exec(record.id)?.[1] ?? around) : around;
    const polished = Object.fromEntries(Object.entries(record).map(([name, value]) => [name, this.value(value, name, kind)]));
    const { pagination } = polished;
    const [list] = Object.values(polished).filter((value) => Array.isArray(value));
    if (pagination && list) Object.assign(pagination, { has_more: false, next_cursor: null });
    if (pagination && list && 'total' in pagination) Object.assign(pagination, { total: list.length, pages: 1 });
    if (list && 'total_count' in polished) Object.assign(polished, { total_count: list.length, has_more: false });
    return polished;
  }

  #text(text: string, field: string, kind: string): string {
    if (TIME.test(text)) return this.#time(text);
    const known = REPLACED.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), FIXED[field] ?? text);
    const named = known
      .replaceAll(LABEL, WORDS[`${kind}.${field}`] ?? WORDS[field] ?? OTHER_WORDS)
      .replace(/\b\d{4}-\d{2}-\d{2}\b(?!T)/g, (date) => this.#date(date));
    const identified = named.replace(ID, (id, prefix: string) => this.#id(id, prefix));
    if (identified === text && SECRETS.test(field) && /^[\w+/=:.-]{4,}$/.test(text)) return hidden(text);
    return identified.length > TEXT_LENGTH ? `${identified.slice(0, TEXT_LENGTH)}…` : identified;
  }

  /** Replaces an id. The nth record of a kind has the same id in all examples. */
  #id(id: string, prefix: string): string {
    const known = this.#ids.get(id);
    if (known) return known;
    const before = [...this.#ids.values()].filter((other) => other.startsWith(`${prefix}_`)).length;
    const made = `${prefix}_01JQ8Z6V4T9M3N2B1C0D9E8F7${'GHJKMNPQRSTVWXYZ0123456789'.charAt(before % 26)}`;
    this.#ids.set(id, made);
    return made;
  }

  #date(text: string): string {
    const days = Math.round((Date.parse(text) - this.#at.getTime()) / DAY_MS);
    return new Date(TODAY + days * DAY_MS).toISOString().slice(0, 10);
  }

  /**
   * Moves a time so that its distance to `NOW` equals its distance to the recording time, rounded to minutes. Midnight
   * stays midnight.
   */
  #time(text: string): string {
    const time = Date.parse(text);
    if (time % DAY_MS === 0) return `${this.#date(text.slice(0, 10))}T00:00:00.000Z`;
    const offset = Math.round((time - this.#at.getTime()) / MINUTE_MS) * MINUTE_MS;
    // records are created some seconds or a minute before their response is recorded
    return new Date(NOW + (Math.abs(offset) <= 3 * MINUTE_MS ? 0 : offset)).toISOString();
  }
}

/**
 * Returns a placeholder of the same length as the text. It consists of decimal digits if the text does, of hexadecimal
 * digits if the text does, and otherwise of letters.
 */
function hidden(text: string): string {
  const characters = /^[\d-]+$/.test(text) ? '1234567890' : /^[0-9a-f]+$/i.test(text) ? '0123456789abcdef' : 'EXAMPLE';
  return Array.from(text, (_, at) => characters.charAt(at % characters.length)).join('');
}
