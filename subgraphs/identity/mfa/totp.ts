import { generateSecret, generateURI, verify } from 'otplib';
import { toDataURL } from 'qrcode';

/** Name of the platform that authenticator apps show. */
const ISSUER = 'Telecom Platform';
const STEP_SECONDS = 30;
const CODE = /^\d{6}$/;

/**
 * Creates a TOTP secret of 160 bits in Base32. Every authenticator app supports the parameters: SHA-1, 6 digits, 30
 * seconds (RFC 6238).
 */
export const newTotpSecret = (): string => generateSecret({ length: 20 });

/** Returns the otpauth URI that an authenticator app reads, and a QR code of that URI (data URI of a PNG). */
export async function totpSetup(secret: string, label: string): Promise<{ setupUrl: string; qrCode: string }> {
  const setupUrl = generateURI({ issuer: ISSUER, label, secret, algorithm: 'sha1', digits: 6, period: STEP_SECONDS });
  return { setupUrl, qrCode: await toDataURL(setupUrl, { type: 'image/png', errorCorrectionLevel: 'M' }) };
}

/**
 * Returns the time step of a code. The code must belong to the current, the previous or the next step, because clocks
 * differ and people are slow. Returns undefined for a wrong code. Also returns undefined for a code of `lastStep` or an
 * earlier step, because it cannot be used again.
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
