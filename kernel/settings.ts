import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** One setting: its name in the environment, what it does, and how its text is read. */
export interface Setting {
  readonly name: string;
  readonly about: string;
  readonly schema: z.ZodType;
  /** The text that is read where nothing is set. */
  readonly fallback?: string;
  /** What happens without it, where there is no fallback text. */
  readonly otherwise?: string;
  /** Its option on the command line, `--port`. What only other secrets are worth has none: `ps` would list it. */
  readonly option?: string;
  /** Its value is never repeated in an error. */
  readonly secret?: boolean;
}

/** Keeps the type of each, so that a setting with a fallback is never undefined in Config. */
const setting = <const One extends Setting>(one: One): One => one;

const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to, `must be a whole number from ${from} to ${to}`)
    .transform(Number);
const flag = z.enum(['0', '1'], 'must be 1 or 0').transform((text) => text === '1');
const text = z.string();

const url = (protocols: readonly string[], example: string) =>
  text.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), `must be a URL such as ${example}`);
const databaseUrl = url(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database');
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

/** Each may have a database of its own. */
export const SUBGRAPHS = ['identity', 'services', 'billing', 'support', 'events'] as const;
export type SubgraphName = (typeof SUBGRAPHS)[number];

const ownDatabase = (subgraph: SubgraphName) =>
  setting({
    name: `${subgraph.toUpperCase()}_DATABASE_URL`,
    about: `A PostgreSQL database of its own for the ${subgraph} subgraph.`,
    schema: databaseUrl,
    otherwise: 'in DATABASE_URL',
    secret: true,
  });

const ownDatabases = Object.fromEntries(SUBGRAPHS.map((name) => [`${name}DatabaseUrl`, ownDatabase(name)])) as {
  [Name in SubgraphName as `${Name}DatabaseUrl`]: ReturnType<typeof ownDatabase>;
};

/** Every setting there is. `--help`, docs/config.md and the parser are made from this table. */
export const settings = {
  port: setting({
    name: 'PORT',
    option: 'port',
    about: 'Port to listen on; 0 takes a free one.',
    schema: wholeNumber(0, 65535),
    fallback: '4000',
  }),
  host: setting({
    name: 'HOST',
    option: 'host',
    about: 'Address to listen on; 0.0.0.0 to be reached from other machines.',
    schema: text,
    fallback: '127.0.0.1',
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    option: 'data',
    about: 'Folder of the embedded database and the generated secret.',
    schema: text,
    fallback: './data',
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    option: 'database-url',
    about:
      'PostgreSQL 15 or later to use instead of the embedded database. Its user creates schemas there, and the extensions btree_gin and pg_trgm (which need no more than that) unless they exist.',
    schema: databaseUrl,
    otherwise: 'embedded, in DATA_DIR',
    secret: true,
  }),
  databasePoolSize: setting({
    name: 'DATABASE_POOL_SIZE',
    about:
      'Connections that a process opens to PostgreSQL at most, for each subgraph; jobs, notifications and short reads have up to eleven more.',
    schema: wholeNumber(1, 200),
    fallback: '5',
  }),
  ...ownDatabases,
  redisUrl: setting({
    name: 'REDIS_URL',
    option: 'redis-url',
    about: 'Redis for the rate limits that the processes of one platform share; another platform takes another database of it (/1).',
    schema: url(['redis:', 'rediss:'], 'redis://host:6379'),
    otherwise: 'kept in the process',
    secret: true,
  }),
  secretKey: setting({
    name: 'SECRET_KEY',
    about: 'At least 32 characters; signs between processes and encrypts secrets at rest. Needed with DATABASE_URL.',
    schema: text.min(32, 'must have at least 32 characters'),
    otherwise: 'generated once, kept in DATA_DIR',
    secret: true,
  }),
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
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    option: 'trusted-proxies',
    about: 'Proxies whose X-Forwarded-For and CLIENT_CERT_HEADER are believed, as addresses or CIDR ranges.',
    schema: cidrs,
    fallback: '',
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
  sandbox: setting({
    name: 'SANDBOX',
    option: 'sandbox',
    about: '1 issues test keys (test_sk_…) and accepts the test cards.',
    schema: flag,
    fallback: '0',
  }),
  allowPrivateUrls: setting({
    name: 'ALLOW_PRIVATE_URLS',
    option: 'allow-private-urls',
    about: '1 lets webhooks and integrations call http and private addresses: development only.',
    schema: flag,
    fallback: '0',
  }),
  smtpUrl: setting({
    name: 'SMTP_URL',
    about: 'Mail server that mails are sent by.',
    schema: url(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com:465'),
    otherwise: 'mails are written to DATA_DIR/mail',
    secret: true,
  }),
  mailFrom: setting({
    name: 'MAIL_FROM',
    about: 'Sender of mails.',
    schema: text.regex(/^[^\r\n]{3,320}$/, 'must be one line'),
    fallback: 'Platform <no-reply@localhost>',
  }),
  smsProviderUrl: setting({
    name: 'SMS_PROVIDER_URL',
    about: "Base of Twilio's API, or of another that speaks it.",
    schema: url(['https:', 'http:'], 'https://api.twilio.com'),
    fallback: 'https://api.twilio.com',
  }),
  smsAccountSid: setting({
    name: 'SMS_ACCOUNT_SID',
    about: 'Account that SMS are sent from. Needs SMS_AUTH_TOKEN and SMS_FROM.',
    schema: text.regex(/^[\w-]{2,64}$/, 'must be an account id such as AC and 32 hexadecimal digits'),
    otherwise: 'SMS are not sent but written to DATA_DIR/sms',
  }),
  smsAuthToken: setting({
    name: 'SMS_AUTH_TOKEN',
    about: 'Secret of that account.',
    schema: text,
    otherwise: 'none',
    secret: true,
  }),
  smsFrom: setting({
    name: 'SMS_FROM',
    about: 'Sender of SMS: a number such as +12125550100, or a messaging service (MG…).',
    schema: text.regex(/^(\+[1-9]\d{5,14}|MG\w{2,62})$/, 'must be a number such as +12125550100 or a messaging service such as MG…'),
    otherwise: 'none',
  }),
  filesS3Bucket: setting({
    name: 'FILES_S3_BUCKET',
    about: 'Bucket that attachments and reports are kept in. Processes that share a database need one, or a folder that they share.',
    schema: text.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
    otherwise: 'DATA_DIR/files',
  }),
  filesS3Region: setting({
    name: 'FILES_S3_REGION',
    about: 'Region of that bucket.',
    schema: text.regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1'),
    fallback: 'us-east-1',
  }),
  filesS3Endpoint: setting({
    name: 'FILES_S3_ENDPOINT',
    about: "Store that speaks S3's API, such as MinIO; buckets stand in its paths.",
    schema: url(['https:', 'http:'], 'https://minio.example.com:9000'),
    otherwise: 'AWS',
  }),
  filesS3AccessKeyId: setting({
    name: 'FILES_S3_ACCESS_KEY_ID',
    about: 'Access key for that bucket. Needs FILES_S3_SECRET_ACCESS_KEY.',
    schema: text,
    otherwise: "found as AWS's SDK does: environment, profile, role of the machine",
  }),
  filesS3SecretAccessKey: setting({
    name: 'FILES_S3_SECRET_ACCESS_KEY',
    about: 'Secret of that access key.',
    schema: text,
    otherwise: 'the same',
    secret: true,
  }),
  connectivityProviderUrl: setting({
    name: 'CONNECTIVITY_PROVIDER_URL',
    about: 'Base of a TMF641 service ordering API that builds internet lines.',
    schema: url(['https:', 'http:'], 'https://provider.example.com'),
    otherwise: 'a simulated network',
  }),
  connectivityProviderToken: setting({
    name: 'CONNECTIVITY_PROVIDER_TOKEN',
    about: 'Bearer token for it.',
    schema: text,
    otherwise: 'none is sent',
    secret: true,
  }),
  bootstrapEmail: setting({
    name: 'BOOTSTRAP_EMAIL',
    about: 'E-mail of the administrator made at the first start.',
    schema: z.email('must be an e-mail address'),
    fallback: 'admin@example.com',
  }),
  bootstrapPassword: setting({
    name: 'BOOTSTRAP_PASSWORD',
    about: 'Password of that administrator, at least 12 characters.',
    schema: text.min(12, 'must have at least 12 characters'),
    otherwise: 'generated, shown once',
    secret: true,
  }),
  bootstrapApiKey: setting({
    name: 'BOOTSTRAP_API_KEY',
    about: 'API key made at the first start: sk_live_ (test_sk_ in a sandbox) and 64 letters or digits.',
    schema: text.regex(/^(sk_live|test_sk)_[A-Za-z0-9]{64}$/, 'must be sk_live_ or test_sk_ and 64 letters or digits'),
    otherwise: 'generated, shown once',
    secret: true,
  }),
  bootstrapClientId: setting({
    name: 'BOOTSTRAP_CLIENT_ID',
    about: 'Id of the OAuth client made at the first start: client_ and 4 to 60 letters or digits.',
    schema: text.regex(/^client_[A-Za-z0-9]{4,60}$/, 'must be client_ and 4 to 60 letters or digits'),
    otherwise: 'generated, shown once',
  }),
  bootstrapClientSecret: setting({
    name: 'BOOTSTRAP_CLIENT_SECRET',
    about: 'Secret of that client, at least 32 characters.',
    schema: text.regex(/^[\x21-\x7e]{32,200}$/, 'must have 32 to 200 characters, without spaces'),
    otherwise: 'generated, shown once',
    secret: true,
  }),
  bootstrapRedirectUri: setting({
    name: 'BOOTSTRAP_REDIRECT_URI',
    about: 'Where that client has users sent back to.',
    schema: url(['https:', 'http:'], 'https://app.example.com/callback'),
    fallback: 'https://example.com/callback',
  }),
  anonymousPerHour: setting({
    name: 'ANONYMOUS_PER_HOUR',
    about: 'Requests an hour without valid credentials, for each address.',
    schema: wholeNumber(1, 1e9),
    fallback: '1000',
  }),
  anonymousPerMinute: setting({
    name: 'ANONYMOUS_PER_MINUTE',
    about: 'The same in any 60 seconds.',
    schema: wholeNumber(1, 1e9),
    fallback: '100',
  }),
  slotWaitMs: setting({
    name: 'SLOT_WAIT_MS',
    about: 'How long a request waits when all slots of its plan are taken, before it is answered 429.',
    schema: wholeNumber(0, 60_000),
    fallback: '5000',
  }),
  eventRetentionDays: setting({
    name: 'EVENT_RETENTION_DAYS',
    about:
      'Whole days that events and the records of their deliveries are kept: at least 7, since a delivery is tried for more than three.',
    schema: wholeNumber(7, 3650),
    fallback: '30',
  }),
  notificationRetentionDays: setting({
    name: 'NOTIFICATION_RETENTION_DAYS',
    about: 'Days that it is kept what e-mails and SMS about tickets said; that they were sent stays with the ticket.',
    schema: wholeNumber(1, 3650),
    fallback: '90',
  }),
  metricsToken: setting({
    name: 'METRICS_TOKEN',
    about: 'Bearer token that /metrics asks for.',
    schema: text.min(16, 'must have at least 16 characters'),
    otherwise: '/metrics answers this machine only',
    secret: true,
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    option: 'log-level',
    about: 'fatal, error, warn, info, debug, trace or silent.',
    schema: z.enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be one of fatal, error, warn, info, debug, trace, silent',
    ),
    fallback: 'info',
  }),
  shutdownTimeoutMs: setting({
    name: 'SHUTDOWN_TIMEOUT_MS',
    option: 'shutdown-timeout-ms',
    about: 'How long a stop waits for what is in flight before it cuts off.',
    schema: wholeNumber(0, 600_000),
    fallback: '10000',
  }),
} as const;

export type SettingKey = keyof typeof settings;
