import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { clock } from '../rig.ts';

cryptoProvider.set(webcrypto as never);

export const ec = (namedCurve: string) => ({ name: 'ECDSA', namedCurve, hash: 'SHA-256' });
export const rsa = (modulusLength: number, hash = 'SHA-256', name = 'RSASSA-PKCS1-v1_5') => ({
  name,
  hash,
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
  saltLength: 20,
});
const EC = ec('P-256');

/** Properties of a certificate to create. A certificate with the default values can be registered. */
export interface Wanted {
  subject?: string;
  /** Time from which the days of validity are counted. Default: the platform's time. */
  now?: Date;
  validFromDays?: number;
  validToDays?: number;
  algorithm?: ReturnType<typeof ec> | ReturnType<typeof rsa>;
  isAuthority?: boolean;
  uses?: ExtendedKeyUsage[];
  /** Host names of a server certificate. */
  hosts?: string[];
  /** Certificate that signs the new certificate. Default: the new certificate is self-signed. */
  issuer?: Issued;
}

export interface Issued {
  certificate: X509Certificate;
  keys: CryptoKeyPair;
  /** The certificate in PEM format. */
  pem: string;
  /** The private key of the certificate in PEM format. */
  key: string;
}

const DAY_MS = 24 * 3600 * 1000;
let issued = 0;

/** Creates a certificate with a new key. The default is an EC key. */
export async function issue(wanted: Wanted = {}): Promise<Issued> {
  const { algorithm = EC, issuer, now = clock.now(), validFromDays = -1, validToDays = 365 } = wanted;
  issued += 1;
  const keys = await generateKeys(algorithm);
  const subject = wanted.subject ?? `CN=client-${issued}, O=Test`;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: (0x1000_0000 + issued).toString(16),
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: new Date(now.getTime() + validFromDays * DAY_MS),
    notAfter: new Date(now.getTime() + validToDays * DAY_MS),
    signingAlgorithm: issuer ? EC : algorithm,
    publicKey: keys.publicKey,
    signingKey: (issuer ?? { keys }).keys.privateKey,
    extensions: extensionsOf(wanted),
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey as webcrypto.CryptoKey));
  return { certificate, keys, pem: `${certificate.toString('pem')}\n`, key: pemOf('PRIVATE KEY', pkcs8) };
}

export const issueAuthority = (wanted: Wanted = {}): Promise<Issued> =>
  issue({ subject: `CN=Authority ${issued}`, isAuthority: true, uses: [], ...wanted });

/** Creates a certificate for a server on this machine. */
export const issueForServer = (wanted: Wanted = {}): Promise<Issued> =>
  issue({ subject: 'CN=localhost', uses: [ExtendedKeyUsage.serverAuth], hosts: ['127.0.0.1', 'localhost'], ...wanted });

function extensionsOf({ isAuthority = false, uses = [ExtendedKeyUsage.clientAuth], hosts = [] }: Wanted) {
  const names = hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? ('ip' as const) : ('dns' as const), value }));
  return [
    new BasicConstraintsExtension(isAuthority, undefined, true),
    ...(uses.length > 0 ? [new ExtendedKeyUsageExtension(uses)] : []),
    ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
  ];
}

const generateKeys = (algorithm: Wanted['algorithm']) =>
  webcrypto.subtle.generateKey(algorithm as webcrypto.EcKeyGenParams, true, ['sign', 'verify']) as unknown as Promise<CryptoKeyPair>;

export const pemOf = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;
