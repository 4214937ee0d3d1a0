import { hash } from 'node:crypto';
import type { RequestSigning } from '../../../kernel/access/credentials.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { isSame, macOf, parseSigning, SKEW_SECONDS } from './request-signature.ts';
import { InvalidSignature } from './signature.errors.ts';

/** The properties of an API key that the verification of signatures needs. */
export interface SigningKeyOf {
  id: string;
  signingSecret: string | undefined;
  requireSignature: boolean;
}

/**
 * Verifies request signatures (specification 5.2) if the request has a signature or the key requires one. Each
 * signature is accepted once over all processes. Requests without a signature cost no SQL statement.
 */
export class SignatureVerifier {
  constructor(
    private readonly rows: Rows,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies the signature of a request.
   * @throws InvalidSignature if a required signature is missing, or if the signature is wrong, too old or already used
   */
  async verify({ id, signingSecret, requireSignature }: SigningKeyOf, signing: RequestSigning | undefined): Promise<void> {
    if (signing?.signature === undefined) {
      if (requireSignature) throw new InvalidSignature('missing');
      return;
    }
    if (signingSecret === undefined) throw new InvalidSignature('not_signable');
    const sent = parseSigning(signing);
    if (!sent) throw new InvalidSignature('malformed');
    const now = this.clock.now().getTime() / 1000;
    if (Math.abs(now - sent.seconds) > SKEW_SECONDS) throw new InvalidSignature('timestamp', { server_time: Math.floor(now) });
    if (!isSame(macOf(signing, sent.timestamp, signingSecret), sent.mac)) throw new InvalidSignature('mismatch');
    await this.#spend(`${id}.${sent.mac.toString('base64')}`, sent.seconds);
  }

  /**
   * Stores a signature as used, for all processes. Fails if the signature is already stored.
   * @throws InvalidSignature
   */
  async #spend(signature: string, seconds: number): Promise<void> {
    const used = await this.rows.query(
      `insert into "identity"."request_signature" ("digest", "expires_at") values ($1, $2) on conflict do nothing returning 1 as "one"`,
      [hash('sha256', signature, 'hex'), new Date((seconds + SKEW_SECONDS) * 1000)],
    );
    if (used.length === 0) throw new InvalidSignature('replayed');
  }
}
