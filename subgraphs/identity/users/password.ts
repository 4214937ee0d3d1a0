import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** What a hash costs to make, and so to guess. */
export interface PasswordCost {
  /** Base-2 logarithm of N. */
  ln: number;
  r: number;
  p: number;
}

/** One of OWASP's recommended strengths: 32 MiB, about as costly as N=2^17 with p=1 and kinder to a small machine. */
export const PASSWORD_COST: PasswordCost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`: holds its parameters, so that they can be raised and old hashes still verify. */
export async function hashPassword(password: string, cost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { ln, r, p } = cost;
  const hash = await derive(password, salt, HASH_BYTES, cost);
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Takes the same time whether or not the password is right. @throws Error for a text that `hashPassword` did not write. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = STORED.exec(stored) ?? [];
  if (!hash) throw new Error('The stored password hash is not readable.');
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, { ln: Number(ln), r: Number(r), p: Number(p) });
  return timingSafeEqual(actual, expected);
}

/** Runs on a thread of the pool: the event loop is not held up. */
function derive(password: string, salt: Buffer, length: number, { ln, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** ln;
  // Node refuses more than 32 MiB unless it is told
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // the same letters typed on another system may come decomposed
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
