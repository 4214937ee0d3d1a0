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
  .refine((parts) => parts.every(isCidr), 'must be addresses or CIDR ranges separated by commas, such as 10.0.0.0/8,127.0.0.1');

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

/** Settings about how callers reach the platform, and which information about callers is trusted. */
export const callerSettings = {
  publicOrigin: setting({
    name: 'PUBLIC_ORIGIN',
    option: 'public-origin',
    about: 'Public origin of the platform, the same for all its processes. Used in links, in the OpenAPI document and in tokens.',
    schema: origin,
    otherwise: 'http://HOST:PORT, https with TLS_CERT',
  }),
  tlsCert: setting({
    name: 'TLS_CERT',
    option: 'tls-cert',
    about:
      'PEM file with the certificate of the server and its chain. With TLS_CERT and TLS_KEY, the platform serves https and accepts client certificates.',
    schema: text,
    otherwise: 'the platform serves http',
  }),
  tlsKey: setting({
    name: 'TLS_KEY',
    option: 'tls-key',
    about: 'PEM file with the unencrypted private key of TLS_CERT.',
    schema: text,
  }),
  tlsClientCa: setting({
    name: 'TLS_CLIENT_CA',
    option: 'tls-client-ca',
    about: 'PEM file with the certificate authorities, including intermediate ones, that may issue client certificates.',
    schema: text,
    otherwise: 'any registered certificate is accepted, including self-signed ones',
  }),
  clientCertHeader: setting({
    name: 'CLIENT_CERT_HEADER',
    option: 'client-cert-header',
    about:
      'Header in which TRUSTED_PROXIES pass on the certificate of their client, such as x-client-cert. The proxies must overwrite a value that the client sends.',
    schema: text
      .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header such as x-client-cert')
      .transform((name) => name.toLowerCase()),
    otherwise: 'no header is trusted',
  }),
  authUrl: setting({
    name: 'AUTH_URL',
    option: 'auth-url',
    about: 'Public origin of the authorization server, if it differs from PUBLIC_ORIGIN. It is the issuer of tokens.',
    schema: origin,
    otherwise: 'PUBLIC_ORIGIN',
  }),
  serviceOrigin: setting({
    name: 'SERVICE_ORIGIN',
    option: 'service-origin',
    about: 'Public origin of the SAML service provider, if it differs from PUBLIC_ORIGIN.',
    schema: origin,
    otherwise: 'PUBLIC_ORIGIN',
  }),
  samlDomainProof: setting({
    name: 'SAML_DOMAIN_PROOF',
    option: 'saml-domain-proof',
    about:
      'How an organization proves that it owns the e-mail domains of its SAML connections: dns (a TXT record) or none. With none, the first organization that claims a domain gets it. Use none only if all organizations trust each other.',
    schema: z.enum(['dns', 'none'], 'must be dns or none'),
    fallback: 'dns',
  }),
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    option: 'trusted-proxies',
    about: 'Proxies whose X-Forwarded-For, CLIENT_CERT_HEADER and COUNTRY_HEADER are trusted, as addresses or CIDR ranges.',
    schema: cidrs,
    fallback: '',
  }),
  allowedOrigins: setting({
    name: 'ALLOWED_ORIGINS',
    option: 'allowed-origins',
    about:
      'Origins whose pages may call the API from a browser (CORS) and open WebSockets, separated by commas; * allows all. The API accepts no cookies: a page must send a key or token.',
    schema: allowedOrigins,
    fallback: '*',
  }),
  countryHeader: setting({
    name: 'COUNTRY_HEADER',
    option: 'country-header',
    about: 'Header in which TRUSTED_PROXIES send the country of a caller (ISO 3166-1 alpha-2), such as CF-IPCountry.',
    schema: text.regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header').transform((name) => name.toLowerCase()),
    otherwise: 'no header is read',
  }),
  geoipDatabase: setting({
    name: 'GEOIP_DATABASE',
    option: 'geoip-database',
    about: 'MMDB file that maps IP addresses to countries, such as GeoLite2-Country.',
    schema: text,
    otherwise: 'no file is read',
  }),
} as const;
