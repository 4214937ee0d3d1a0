import { createHmac } from 'node:crypto';
import { headerKey } from '../webhooks/webhook.secret.ts';

/**
 * The text of a delivery: the payload with `signature` as its last member, `sha256=` and the hex HMAC-SHA256 of the payload
 * keyed with the secret (specification 6). A receiver takes the member off again and has the bytes that were signed.
 */
export function signedBody(payload: string, secret: string): string {
  return `${payload.slice(0, -1)},"signature":"sha256=${createHmac('sha256', secret).update(payload).digest('hex')}"}`;
}

export interface Signed {
  id: string;
  at: Date;
  body: string;
  secret: string;
}

/** The headers of the Standard Webhooks specification, over the whole body. The time is that of the attempt. */
export function signatureHeaders({ id, at, body, secret }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac('sha256', headerKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
