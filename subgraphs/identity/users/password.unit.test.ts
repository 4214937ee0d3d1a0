import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

test('a hash matches only its own password, even if the password is entered in another Unicode normal form', async () => {
  const stored = await hashPassword('Pässword 123');
  expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/);
  expect(await verifyPassword('Pässword 123'.normalize('NFD'), stored)).toBe(true);
  expect(await verifyPassword('Passwort 123', stored)).toBe(false);
});

test('hashing the same password twice gives two different hashes', async () => {
  expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'));
});

test('a password can be verified against a hash whose scrypt parameters are not the current ones', async () => {
  // RFC 7914, section 12: the first 32 bytes of scrypt("password", "NaCl", N=1024, r=8, p=16)
  const hash = Buffer.from('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162', 'hex').toString('base64url');
  const stored = `$scrypt$ln=10,r=8,p=16$${Buffer.from('NaCl').toString('base64url')}$${hash}`;
  expect(await verifyPassword('password', stored)).toBe(true);
});

test('verifying a password against an invalid hash throws an error and does not return false', async () => {
  await expect(verifyPassword('x', 'plain text')).rejects.toThrow('not readable');
});
