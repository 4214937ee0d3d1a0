import { generateSecret, generateURI, verify } from 'otplib';
import { toDataURL } from 'qrcode';

/** Name shown in authenticator apps. */
const ISSUER = 'Telecom Platform';
const STEP_SECONDS = 30;
const CODE = /^\d{6}$/;

/** Creates a TOTP secret of 160 bits in Base32. Parameters are those that every app supports: SHA-1, 6 digits, 30 seconds (RFC 6238). */
export const newTotpSecret = (): string => generateSecret({ length: 20 });

/** Returns what an authenticator app reads: the otpauth URI and the same as a QR code (data URI of a PNG). */
export async function totpSetup(secret: string, label: string): Promise<{ setupUrl: string; qrCode: string }> {
  const setupUrl = generateURI({ issuer: ISSUER, label, secret, algorithm: 'sha1', digits: 6, period: STEP_SECONDS });
  return { setupUrl, qrCode: await toDataURL(setupUrl, { type: 'image/png', errorCorrectionLevel: 'M' }) };
}

/**
 * Returns the time step of a code if it is the current step or one next to it, since clocks differ and people are slow. Undefined if
 * the code is wrong, or belongs to `lastStep` or an earlier step, whose code was already accepted.
 */
export async function stepOf(secret: string, code: string, now: Date, lastStep: number | null): Promise<number | undefined> {
  if (!CODE.test(code)) return undefined;
  const result = await verify({
    secret,
    token: code,
    strategy: 'totp',
    epoch: Math.floor(now.getTime() / 1000),
    epochTolerance: STEP_SECONDS,
    ...(lastStep !== null && { afterTimeStep: lastStep }),
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}
