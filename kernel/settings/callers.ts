import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { allowedOrigins } from './origins.ts';
import { setting, text } from './setting.ts';

const origin = text
  .refine(
    (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && `${new URL(value).origin}/` === new URL(value).href,
    'must be an origin such as https://api.example.com',
  )
  .transform((value) => new URL(value).origin);

const cidrs = text
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .refine((parts) => parts.every(isCidr), 'must be addresses or CIDR ranges with commas between, such as 10.0.0.0/8,127.0.0.1');

function isCidr(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (!family || rest.length > 0) return false;
  if (bits === undefined) return true;
  try {
    new BlockList().addSubnet(address, /^\d+$/.test(bits) ? Number(bits) : -1, family === 6 ? 'ipv6' : 'ipv4');
    return true;
  } catch {
    return false;
  }
}

/** Settings of how callers reach the platform, and which information about them is trusted. */
export const callerSettings = {
  publicOrigin: setting({
    name: 'PUBLIC_ORIGIN',
    option: 'public-origin',
    about: 'Where callers reach the platform, the same for all its processes; stands in links, in the OpenAPI document and in tokens.',
    schema: origin,
    otherwise: 'http://HOST:PORT, https with TLS_CERT',
  }),
  tlsCert: setting({
    name: 'TLS_CERT',
    option: 'tls-cert',
    about:
      'PEM file with the certificate of the server and its chain; with TLS_KEY the platform serves https and asks for client certificates.',
    schema: text,
    otherwise: 'http',
  }),
  tlsKey: setting({
    name: 'TLS_KEY',
    option: 'tls-key',
    about: 'PEM file with the private key of TLS_CERT, not encrypted.',
    schema: text,
  }),
  tlsClientCa: setting({
    name: 'TLS_CLIENT_CA',
    option: 'tls-client-ca',
    about: 'PEM file with the authorities, intermediate ones too, that must have issued the client certificates.',
    schema: text,
    otherwise: 'any registered certificate counts, also a self-signed one',
  }),
  clientCertHeader: setting({
    name: 'CLIENT_CERT_HEADER',
    option: 'client-cert-header',
    about:
      'Header in which TRUSTED_PROXIES say which certificate their client has, such as x-client-cert; they must replace what the client sends in it.',
    schema: text
      .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header such as x-client-cert')
      .transform((name) => name.toLowerCase()),
    otherwise: 'no header is believed',
  }),
  authUrl: setting({
    name: 'AUTH_URL',
    option: 'auth-url',
    about: 'The authorization server as callers reach it, where that is another name than the platform: the issuer of tokens.',
    schema: origin,
    otherwise: 'PUBLIC_ORIGIN',
  }),
  serviceOrigin: setting({
    name: 'SERVICE_ORIGIN',
    option: 'service-origin',
    about: 'The SAML service provider as identity providers and browsers reach it, where that is another name than the platform.',
    schema: origin,
    otherwise: 'PUBLIC_ORIGIN',
  }),
  samlDomainProof: setting({
    name: 'SAML_DOMAIN_PROOF',
    option: 'saml-domain-proof',
    about:
      'How an organization proves the e-mail domains of its SAML connections: dns (a TXT record), or none, where everyone on the installation trusts everyone: the first who claims a domain has it.',
    schema: z.enum(['dns', 'none'], 'must be dns or none'),
    fallback: 'dns',
  }),
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    option: 'trusted-proxies',
    about: 'Proxies whose X-Forwarded-For and CLIENT_CERT_HEADER are believed, as addresses or CIDR ranges.',
    schema: cidrs,
    fallback: '',
  }),
  allowedOrigins: setting({
    name: 'ALLOWED_ORIGINS',
    option: 'allowed-origins',
    about:
      'Origins whose pages may call the API from a browser (CORS) and open WebSockets, with commas between; * allows all. Credentials are never ambient: a page must send a key or token.',
    schema: allowedOrigins,
    fallback: '*',
  }),
  countryHeader: setting({
    name: 'COUNTRY_HEADER',
    option: 'country-header',
    about: 'Header in which the proxies of TRUSTED_PROXIES say the country of a caller (ISO 3166-1 alpha-2), such as CF-IPCountry.',
    schema: text.regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header').transform((name) => name.toLowerCase()),
    otherwise: 'none is read',
  }),
  geoipDatabase: setting({
    name: 'GEOIP_DATABASE',
    option: 'geoip-database',
    about: 'MMDB file (GeoLite2-Country or alike) that says in which country an address is.',
    schema: text,
    otherwise: 'none is read',
  }),
} as const;
