import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * Cost parameters of scrypt. They make a hash slow to compute, so that guessing a password from its hash is expensive.
 */
export interface PasswordCost {
  /** Base-2 logarithm of the scrypt cost parameter N. */
  ln: number;
  r: number;
  p: number;
}

/**
 * Cost parameters for new password hashes. OWASP recommends this set. It takes about as long as N=2^17 with p=1, but needs less memory: 32
 * MiB.
 */
export const PASSWORD_COST: PasswordCost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/**
 * Hashes a password as `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. The result contains the cost parameters. So the
 * parameters can be raised, and old hashes can still be verified.
 */
export async function hashPassword(password: string, cost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { ln, r, p } = cost;
  const hash = await derive(password, salt, HASH_BYTES, cost);
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Verifies a password in a time that does not depend on the result. @throws Error for a text that `hashPassword` did not write */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = STORED.exec(stored) ?? [];
  if (!hash) throw new Error('The stored password hash is not readable.');
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, { ln: Number(ln), r: Number(r), p: Number(p) });
  return timingSafeEqual(actual, expected);
}

/** Derives a key from a password in the thread pool, so that the event loop is not blocked. */
function derive(password: string, salt: Buffer, length: number, { ln, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** ln;
  // Node's default memory limit of 32 MiB is too low for these parameters
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // normalized, because some systems send the same letters in a decomposed Unicode form
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
