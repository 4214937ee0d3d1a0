import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { newId } from '../../kernel/records/ids.ts';
import { clock } from '../rig.ts';
import type { RestResponse, Tenant } from '../tenant.ts';

export const AUDIENCE = 'https://api.acme.example.com';
/** The platform's time in seconds since 1970, as in token claims. */
export const seconds = (): number => Math.floor(clock.now().getTime() / 1000);

export interface Signer {
  kid: string;
  alg: string;
  jwk: JWK;
  privateKey: CryptoKey;
}

export async function signer(alg = 'ES256'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = newId('signingKey');
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** The response to requests for a key set, and the number of these requests. */
interface KeySet {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  requests: number;
}

const sets = new Map<string, KeySet>();
let serving: Promise<string> | undefined;

/** Starts one server for all key sets. The server does not keep the process alive. */
const serveKeySets = (): Promise<string> => {
  serving ??= new Promise((resolve) => {
    const server = createServer(({ url = '' }, response) => {
      const set = sets.get(url);
      if (set) set.requests += 1;
      const body = typeof set?.body === 'string' ? set.body : JSON.stringify(set?.body ?? {});
      response.writeHead(set?.status ?? 404, { 'content-type': 'application/json', ...set?.headers }).end(body);
    }).unref();
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  return serving;
};

export interface IssuerOptions {
  keys?: Signer[];
  /** Fields of the registration that differ from the default. */
  body?: object;
}

export interface TestIssuer {
  /** The response to the registration. */
  response: RestResponse;
  id: string;
  uri: string;
  set: KeySet;
  signers: Signer[];
  token(claims?: object, header?: object, key?: Signer): Promise<string>;
}

/**
 * Registers an authorization server that a tenant trusts. Returns the registration, the key set and a function that
 * signs tokens.
 */
export async function trustedIssuer(by: Tenant, { keys, body = {} }: IssuerOptions = {}): Promise<TestIssuer> {
  const signers = keys ?? [await signer()];
  const path = `/${newId('trustedIssuer')}`;
  const set: KeySet = { body: { keys: signers.map(({ jwk }) => jwk) }, requests: 0, headers: {}, status: 200 };
  sets.set(path, set);
  const uri = `${await serveKeySets()}${path}`;
  const registration = { name: 'Own', issuer: uri, audience: AUDIENCE, jwks_uri: uri, permissions: ['accounts:*'], ...body };
  const response = await by.rest('POST', '/auth/trusted-issuers', { body: registration });
  const token = (claims: object = {}, header: object = {}, key: Signer = signers[0] as Signer): Promise<string> =>
    new SignJWT({ iss: uri, aud: AUDIENCE, sub: 'deployer', exp: seconds() + 600, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })
      .sign(key.privateKey, { crit: { 'x-extension': true } });
  return { response, id: response.body.data?.id as string, uri, set, token, signers };
}
