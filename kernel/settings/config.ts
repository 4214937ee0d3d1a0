import type { z } from 'zod';
import { SUBGRAPHS } from './data.ts';
import type { Setting } from './setting.ts';
import { type SettingKey, settings } from './settings.ts';

type Value<S> = S extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : never;
type WithFallback = { [Key in SettingKey]: (typeof settings)[Key] extends { fallback: string } ? Key : never }[SettingKey];

/** The parsed settings. kernel/settings/ describes each setting. A setting without a fallback is undefined if it is not set. */
export type Config = Readonly<{ [Key in SettingKey]: Value<(typeof settings)[Key]> | (Key extends WithFallback ? never : undefined) }>;

/** The texts of the settings: `process.env`, overridden by the command line. */
export type ConfigSource = Readonly<Record<string, string | undefined>>;

/**
 * Thrown if settings are invalid. The message lists all problems, one per line. It never contains the value of a
 * secret.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/**
 * Parses the settings. An empty text counts as not set, because compose files pass unset variables as empty texts.
 * @throws ConfigError with the problems of all settings
 */
export function loadConfig(source: ConfigSource): Config {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, read(setting, source, problems)]),
  ) as unknown as Config;
  problems.push(...conflicts(values, source));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values);
}

function read(setting: Setting, source: ConfigSource, problems: string[]): unknown {
  const text = source[setting.name]?.trim() || setting.fallback;
  if (text === undefined) return undefined;
  const result = setting.schema.safeParse(text);
  if (result.success) return result.data;

  const given = setting.secret ? '' : `, not ${JSON.stringify(text.slice(0, 80))}`;
  problems.push(`${setting.name} ${result.error.issues[0]?.message ?? 'is not valid'}${given}.`);
  return undefined;
}

/**
 * Yields the problems of combinations of settings. It checks only which settings are set. Other functions check the
 * values, so no problem is reported twice.
 */
function* conflicts(config: Config, source: ConfigSource): Generator<string> {
  const isSet = (key: SettingKey): boolean => Boolean(source[settings[key].name]?.trim());

  if (isSet('databaseUrl') && !isSet('secretKey')) {
    yield 'SECRET_KEY is needed with DATABASE_URL: all processes that share the database must use the same key.';
  }
  if (!isSet('databaseUrl')) {
    for (const key of SUBGRAPHS.map((name) => `${name}DatabaseUrl` as const).filter(isSet))
      yield `${settings[key].name} needs DATABASE_URL: a subgraph cannot be on a server while the others are embedded.`;
  }
  for (const database of ['database', ...SUBGRAPHS.map((name) => `${name}Database` as const)] as const) {
    const [url, direct] = [`${database}Url`, `${database}DirectUrl`] as const;
    if (isSet(direct) && !isSet(url))
      yield `${settings[direct].name} needs ${settings[url].name}: it is the same database without its connection pooler.`;
  }
  if (isSet('secretKeyFallback') && !isSet('secretKey')) {
    yield 'SECRET_KEY_FALLBACK needs SECRET_KEY: the new key that replaces it.';
  }
  if (isSet('secretKeyFallback') && config.secretKeyFallback === config.secretKey) {
    yield 'SECRET_KEY_FALLBACK is the same as SECRET_KEY: remove it, or set SECRET_KEY to a new key.';
  }
  if (isSet('countryHeader') && !isSet('trustedProxies')) {
    yield 'COUNTRY_HEADER needs TRUSTED_PROXIES: otherwise anyone could send the header.';
  }
  if (isSet('tlsCert') !== isSet('tlsKey')) {
    yield 'TLS_CERT and TLS_KEY are needed together: the certificate of the server and its private key.';
  }
  if (isSet('clientCertHeader') && !isSet('trustedProxies')) {
    yield 'CLIENT_CERT_HEADER needs TRUSTED_PROXIES: otherwise anyone could claim any certificate.';
  }
  if (isSet('tlsClientCa') && !isSet('tlsCert') && !isSet('clientCertHeader')) {
    yield 'TLS_CLIENT_CA needs TLS_CERT and TLS_KEY, or CLIENT_CERT_HEADER: without them the platform receives no client certificates.';
  }
  yield* smsConflicts(isSet);
  if (isSet('filesS3AccessKeyId') !== isSet('filesS3SecretAccessKey')) {
    yield 'FILES_S3_ACCESS_KEY_ID and FILES_S3_SECRET_ACCESS_KEY are needed together.';
  }
  if (config.bootstrapApiKey && config.bootstrapApiKey.startsWith('test_') !== config.sandbox) {
    yield 'BOOTSTRAP_API_KEY must begin with test_sk_ in a sandbox (SANDBOX=1) and with sk_live_ elsewhere.';
  }
}

/**
 * Yields a problem if the SMS credentials are incomplete. Otherwise nothing would be sent, although SMS seem to be
 * configured.
 */
function* smsConflicts(isSet: (key: SettingKey) => boolean): Generator<string> {
  const account = ['smsAccountSid', 'smsAuthToken', 'smsFrom'] as const;
  const missing = account.filter((key) => !isSet(key)).map((key) => settings[key].name);
  if (missing.length > 0 && missing.length < account.length)
    yield `${missing.join(' and ')} must be set too: sending SMS needs all three settings.`;
}

/** URLs of a database. `directUrl` bypasses the connection pooler. Without a pooler, it equals `url`. */
export interface DatabaseUrls {
  url: string;
  directUrl: string;
}

/** Returns the URLs of the server that contains a schema; undefined for the embedded database. */
export function databaseUrlsOf(config: Config, schema: string): DatabaseUrls | undefined {
  const own = SUBGRAPHS.find((name) => name === schema);
  const ownUrl = own && config[`${own}DatabaseUrl`];
  if (ownUrl) return { url: ownUrl, directUrl: config[`${own}DatabaseDirectUrl`] ?? ownUrl };
  const { databaseUrl: url, databaseDirectUrl: directUrl = url } = config;
  return url && directUrl ? { url, directUrl } : undefined;
}
