import { domainToASCII, domainToUnicode } from 'node:url';
import { isEmail } from 'class-validator';

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{4,253}$)(${LABEL}\\.)+(?=[a-z])${LABEL}$`);
/** Characters that nobody sees, or that turn the direction of others: two addresses would look like one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** ASCII that no domain holds. */
const NO_LETTER_OF_NAMES = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u;
export const EMAIL_LENGTH_MAX = 320;

/**
 * A domain as it is compared and stored: in lower case and Punycode (UTS 46), so that one domain has one spelling.
 * Undefined for what is no domain of the internet, such as a single label, an address, a trailing dot or a wildcard.
 */
export function normalizedDomain(text: string): string | undefined {
  // the conversion reads as URLs do: it would decode percent signs, and cut the text off at a slash
  if (text.length > 253 || NO_LETTER_OF_NAMES.test(text) || INVISIBLE.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return DOMAIN.test(ascii) ? ascii : undefined;
}

/**
 * An e-mail address as it is stored: its domain as `normalizedDomain` writes it, its local part in NFC and in the case in which
 * it was given. Undefined for what is no address, or holds characters that nobody sees.
 */
export function normalizedEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > EMAIL_LENGTH_MAX || INVISIBLE.test(text)) return undefined;
  const domain = normalizedDomain(text.slice(at + 1));
  const email = `${text.slice(0, at).normalize('NFC')}@${domain}`;
  return domain !== undefined && isEmail(email) ? email : undefined;
}

/** What follows the last @ of an e-mail address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/**
 * How an address that somebody typed may be stored, in lower case: as addresses are written now, and as they were before
 * domains were normalized.
 */
export function storedForms(typed: string): string[] {
  const plain = typed.trim().toLowerCase();
  const email = normalizedEmail(plain);
  if (email === undefined) return [plain];
  const domain = domainOf(email);
  return [...new Set([email, plain, `${email.slice(0, -domain.length)}${domainToUnicode(domain)}`])];
}
