import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { SecretBox } from '../../../kernel/access/secret-box.ts';
import { generateSecret, isAcceptableSecret, openSecrets } from '../webhooks/webhook-secret.ts';
import { signatureHeaders, signedBody } from './delivery-signature.ts';

test('signature headers match the Standard Webhooks test vector', () => {
  const headers = signatureHeaders({
    id: 'msg_loFOjxBNrRLzqYUf',
    at: new Date(1_731_705_121_999),
    body: '{"event_type":"ping","data":{"success":true}}',
    secrets: ['whsec_plJ3nmyCDGBKInavdOK15jsl'],
  });
  expect(headers).toEqual({
    'webhook-id': 'msg_loFOjxBNrRLzqYUf',
    'webhook-timestamp': '1731705121',
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  });
});

test('the signature header contains one signature per webhook secret, starting with the current secret', () => {
  const [current, previous] = [generateSecret(), generateSecret()];
  const signed = { id: 'evt_1', at: new Date(1000), body: '{}' };
  const { 'webhook-signature': both } = signatureHeaders({ ...signed, secrets: [current, previous] });
  const alone = [current, previous].map((secret) => signatureHeaders({ ...signed, secrets: [secret] })['webhook-signature']);
  expect(both).toBe(alone.join(' '));
});

test('deliveries are also signed with the previous webhook secret until its grace period ends', () => {
  const box = new SecretBox(['a secret for tests that is long enough'], 'test');
  const sealed = {
    sealedSecret: box.seal('current', 'wh_1'),
    previousSealedSecret: box.seal('previous', 'wh_1'),
    previousSecretUntil: new Date(1000),
  };
  expect(openSecrets(box, 'wh_1', sealed, new Date(999))).toEqual(['current', 'previous']);
  expect(openSecrets(box, 'wh_1', sealed, new Date(1000))).toEqual(['current']);
  expect(openSecrets(box, 'wh_1', { ...sealed, previousSealedSecret: null, previousSecretUntil: null }, new Date(0))).toEqual(['current']);
});

test('a webhook secret without the prefix whsec_ is used as the HMAC key without decoding', () => {
  const secret = "It's a Secret to Everybody";
  const { 'webhook-signature': signature } = signatureHeaders({ id: 'evt_1', at: new Date(1000), body: '{}', secrets: [secret] });
  expect(signature).toBe(`v1,${createHmac('sha256', secret).update('evt_1.1.{}').digest('base64')}`);
});

test('the signature in a webhook body is the HMAC of the body without the signature field', () => {
  const payload = '{"id":"evt_1","data":{"title":"Ünïcode \\u2028, and a ,\\"signature\\":\\"sha256=x\\"}"}}';
  const body = signedBody(payload, 'whsec_AAAAAAAAAAAAAAAAAAAAAA==');
  const [, signature] = /,"signature":"sha256=([0-9a-f]{64})"}$/.exec(body) ?? [];
  expect(body.replace(/,"signature":"sha256=[0-9a-f]{64}"}$/, '}')).toBe(payload);
  expect(signature).toBe(createHmac('sha256', 'whsec_AAAAAAAAAAAAAAAAAAAAAA==').update(payload).digest('hex'));
  expect(Object.keys(JSON.parse(body) as object).at(-1)).toBe('signature');
});

test('removing the signature field from a parsed webhook body gives the signed text', () => {
  const payload = '{"id":"evt_1","event":"ping","data":{"success":true,"title":"Ünïcode"}}';
  const { signature, ...rest } = JSON.parse(signedBody(payload, 'a secret of the receiver')) as Record<string, unknown>;
  expect(JSON.stringify(rest)).toBe(payload);
  expect(signature).toBe(`sha256=${createHmac('sha256', 'a secret of the receiver').update(JSON.stringify(rest)).digest('hex')}`);
});

test("the signature in a webhook body matches GitHub's test vector", () => {
  // `signedBody` replaces the last character of a JSON text, which is "}"; here it replaces the "!"
  expect(signedBody('Hello, World!', "It's a Secret to Everybody")).toContain(
    'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  );
});

test.each([
  ['it has sixteen..', true],
  ['too short', false],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['not ascii: sécret secret', false],
  ['a line\nbreak in the secret', false],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
  ['whsec_not base64 at all!', false],
  ['whsec_AAAA', false],
])('the webhook secret %j is valid: %s', (secret, expected) => {
  expect(isAcceptableSecret(secret)).toBe(expected);
});

test('a generated webhook secret has 32 random bytes', () => {
  const secret = generateSecret();
  expect(isAcceptableSecret(secret)).toBe(true);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(generateSecret()).not.toBe(secret);
});
