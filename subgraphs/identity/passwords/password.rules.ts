import { WeakPassword } from './password.errors.ts';

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
/** Common passwords that are long enough, but that attackers try first. */
const COMMON =
  /^(password|passwort|qwerty|letmein|welcome|admin|changeme|iloveyou|monkey|dragon|0?123456789?0?|abcdef)+[\d!@#$%^&*.?_-]*$/i;

/**
 * Checks a password as NIST SP 800-63B recommends. The password must be long, not common, and different from the user's
 * name and address. There are no rules on character classes.
 * @throws WeakPassword
 */
export function checkPassword(password: string, { email, name }: { email: string; name: string }, field?: string): void {
  const length = [...password].length;
  if (length < PASSWORD_MIN || length > PASSWORD_MAX)
    throw new WeakPassword(`must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`, field);
  const lower = password.toLowerCase();
  if (COMMON.test(password) || new Set(lower).size < 5) throw new WeakPassword('is too easy to guess', field);
  const own = [email, email.split('@')[0] ?? '', name].map((part) => part.toLowerCase()).filter((part) => part.length >= 4);
  if (own.some((part) => lower.replaceAll(part, '').length < PASSWORD_MIN / 2))
    throw new WeakPassword('must not consist of your name or e-mail address', field);
}
