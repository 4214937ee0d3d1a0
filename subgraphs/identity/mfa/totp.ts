import { generateSecret, generateURI, verify } from 'otplib';
import { toDataURL } from 'qrcode';

/** How it appears in an authenticator. */
const ISSUER = 'Telecom Platform';
const STEP_SECONDS = 30;
const CODE = /^\d{6}$/;

/** RFC 6238 as every authenticator knows it: SHA-1, 6 digits, 30 seconds; 160 bits, in Base32. */
export const newTotpSecret = (): string => generateSecret({ length: 20 });

/** What an authenticator reads: the otpauth URI, and the same as a QR code (a data URI of a PNG). */
export async function totpSetup(secret: string, label: string): Promise<{ setupUrl: string; qrCode: string }> {
  const setupUrl = generateURI({ issuer: ISSUER, label, secret, algorithm: 'sha1', digits: 6, period: STEP_SECONDS });
  return { setupUrl, qrCode: await toDataURL(setupUrl, { type: 'image/png', errorCorrectionLevel: 'M' }) };
}

/**
 * The time step whose code this is, if it is the present one, the one before or the one after: clocks differ, and people are
 * slow. Undefined also for a step up to `lastStep`, whose code was accepted before.
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
