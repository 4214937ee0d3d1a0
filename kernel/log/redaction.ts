/** Names of secret values. Only exactly these names match, in any case, and with or without hyphens and underscores. */
export const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'key',
  'apiKey',
  'x-api-key',
  'x-signature',
  'signature',
  'api_token',
  'card_token',
] as const;

/** The text that replaces a secret. */
export const REDACTED = '[redacted]';

const plain = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, '');
const NAMES: ReadonlySet<string> = new Set(SECRET_NAMES.map(plain));
/**
 * Endings of secret names, such as `client_secret` or `set-cookie`. `key` is not among them, because names such as `partition_key` are
 * harmless.
 */
const ENDINGS = [...NAMES].filter((name) => name !== 'key');

/** Returns true if a value with this name must not be stored or logged. */
export function isSecretName(name: string): boolean {
  const text = plain(name);
  return NAMES.has(text) || ENDINGS.some((ending) => text.endsWith(ending)) || /(private|access|secret|encryption)key(id)?$/.test(text);
}

/**
 * Patterns of secret values that are redacted anywhere in a text. The time of each pattern grows linearly with the length of the text,
 * because callers can send any text: a match begins only where the text before it cannot belong to the same match.
 */
const PATTERNS: readonly RegExp[] = [
  // keys, webhook secrets and refresh tokens of this platform
  /\b(?:test_)?(?:sk|whsk|rt)_\w{8,}|\bwhsec_[\w+/=]{8,}/g,
  // JSON Web Tokens
  /(?<![\w.-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  // the password in a URL
  /(?<=:\/\/)[^/\s@]+@/g,
  // the value of an Authorization header, with its scheme or without
  /(?<=\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?)(?:(?:basic|bearer|digest|token|apikey)\s{1,4})?[^\s"',;]+/gi,
  /(?<=\bbearer\s)[\w.~+/=-]{8,}/gi,
  // assignments such as `password=…` and `"client_secret": "…"`
  /(?<=(?:password|passwd|secret|token|api[-_]?key|x-api-key|cookie|signature)(?:=|["']\s{0,4}:\s{0,4}))(?:"[^"\n]*"|'[^'\n]*'|[^\s"',;&}]+)/gi,
];

/**
 * Matches the digits of a card number: 13 to 19 digits, in groups that spaces or hyphens may separate. The numbers of card networks begin
 * with 2 to 6.
 */
const CARD = /(?<![\w-])[2-6](?:[ -]?\d){12,18}(?![\w-])/g;

/** Number of redacted secrets. */
export interface RedactionCount {
  redacted: number;
}

/** Replaces keys, tokens, private keys, passwords and card numbers in a text. */
export function redactText(text: string, count?: RedactionCount): string {
  const replace = (): string => {
    if (count) count.redacted += 1;
    return REDACTED;
  };
  let shown = withoutPem(text, replace);
  for (const pattern of PATTERNS) shown = shown.replace(pattern, replace);
  return shown.replace(CARD, (digits) => (isLuhn(digits) ? replace() : digits));
}

const BEGIN = '-----BEGIN';
const END = '-----END';

/** Redacts PEM blocks. If a block has no end, the rest of the text is removed. */
function withoutPem(text: string, replace: () => string): string {
  let shown = '';
  let from = 0;
  for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, from)) {
    shown += text.slice(from, at) + replace();
    const end = text.indexOf(END, at);
    const line = end < 0 ? -1 : text.indexOf('\n', end);
    if (line < 0) return shown;
    from = line;
  }
  return shown + text.slice(from);
}

/** Returns true if the last digit is the Luhn check digit of the other digits (ISO/IEC 7812). */
function isLuhn(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Returns a copy of a JSON value without secrets: values with a secret name, and secrets within texts. */
export function redactValue(value: unknown, count?: RedactionCount): unknown {
  if (typeof value === 'string') return redactText(value, count);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, count));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (!isSecretName(name) || inner === null || typeof inner === 'boolean') return [redactText(name, count), redactValue(inner, count)];
      if (count) count.redacted += 1;
      return [name, REDACTED];
    }),
  );
}
