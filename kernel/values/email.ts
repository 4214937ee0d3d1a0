import { domainToASCII, domainToUnicode } from 'node:url';
import { isEmail } from 'class-validator';

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{4,253}$)(${LABEL}\\.)+(?=[a-z])${LABEL}$`);
/**
 * Matches characters that are invisible or change the text direction. They could make two different addresses look the
 * same.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Matches ASCII characters that cannot occur in a domain. */
const NO_LETTER_OF_NAMES = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u;
export const EMAIL_LENGTH_MAX = 320;

/**
 * Converts a domain to lower case and Punycode (UTS 46), so that each domain has one spelling for comparison and
 * storage.
 * Returns undefined if the text is not an internet domain. A single label, an IP address, a trailing dot and a wildcard
 * are not allowed.
 */
export function normalizedDomain(text: string): string | undefined {
  // `domainToASCII` parses the text like a URL: it would decode percent signs, and cut the text at a slash
  if (text.length > 253 || NO_LETTER_OF_NAMES.test(text) || INVISIBLE.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return DOMAIN.test(ascii) ? ascii : undefined;
}

/**
 * Normalizes an e-mail address for storage. `normalizedDomain` normalizes the domain. The local part is converted to
 * Unicode NFC, and its case is unchanged. Returns undefined if the text is not an address or contains invisible
 * characters.
 */
export function normalizedEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > EMAIL_LENGTH_MAX || INVISIBLE.test(text)) return undefined;
  const domain = normalizedDomain(text.slice(at + 1));
  const email = `${text.slice(0, at).normalize('NFC')}@${domain}`;
  return domain !== undefined && isEmail(email) ? email : undefined;
}

/** Returns the domain of an e-mail address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/**
 * Returns all forms, in lower case, in which an e-mail address may be stored. In new records, the domain is normalized.
 * In older records, it is in Unicode or spelled as it was typed. An invalid address has only one form.
 */
export function storedForms(typed: string): string[] {
  const plain = typed.trim().toLowerCase();
  const email = normalizedEmail(plain);
  if (email === undefined) return [plain];
  const domain = domainOf(email);
  return [...new Set([email, plain, `${email.slice(0, -domain.length)}${domainToUnicode(domain)}`])];
}
