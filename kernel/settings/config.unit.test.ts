import { expect, test } from 'vitest';
import { ConfigError, databaseUrlsOf, loadConfig } from './config.ts';

const SECRET_KEY = 'k'.repeat(32);

function problemsOf(source: Record<string, string>): readonly string[] {
  try {
    loadConfig(source);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('without settings, the platform uses embedded databases and the loopback address, and refuses private URLs', () => {
  expect(loadConfig({})).toMatchObject({
    port: 4000,
    host: '127.0.0.1',
    dataDir: './data',
    databaseUrl: undefined,
    redisUrl: undefined,
    secretKey: undefined,
    trustedProxies: [],
    sandbox: false,
    allowPrivateUrls: false,
    shutdownTimeoutMs: 10_000,
  });
});

test('loadConfig reports all invalid settings in one error, with one line for each setting', () => {
  const problems = problemsOf({
    PORT: '70000',
    SANDBOX: 'yes',
    DATABASE_URL: 'mysql://x',
    PUBLIC_ORIGIN: 'https://a.example/path',
    TRUSTED_PROXIES: '10.0.0.0/40',
  });
  expect(problems.map((line) => line.split(' ')[0])).toEqual([
    'PORT',
    'DATABASE_URL',
    'PUBLIC_ORIGIN',
    'TRUSTED_PROXIES',
    'SANDBOX',
    'SECRET_KEY',
  ]);
  expect(problems[0]).toBe('PORT must be a whole number from 0 to 65535, not "70000".');
  expect(problems.every((line) => !line.includes('\n'))).toBe(true);
});

test.each(['1e3', '-1', ' ', '4000.5', '0x10', '99999999999999999999'])(
  'loadConfig refuses the PORT %j, but a blank PORT means the default port',
  (text) => {
    if (text.trim()) expect(problemsOf({ PORT: text })).toHaveLength(1);
    else expect(loadConfig({ PORT: text }).port).toBe(4000);
  },
);

test('no error of loadConfig contains the value of a secret setting', () => {
  const bad = {
    SECRET_KEY: 'hunter2',
    DATABASE_URL: 'hunter2',
    REDIS_URL: 'hunter2',
    BOOTSTRAP_PASSWORD: 'hunter2',
    BOOTSTRAP_API_KEY: 'hunter2',
    METRICS_TOKEN: 'hunter2',
  };
  const problems = problemsOf(bad);
  expect(problems.length).toBeGreaterThanOrEqual(Object.keys(bad).length);
  expect(problems.join('\n')).not.toContain('hunter2');
});

test('the setting DATABASE_URL requires SECRET_KEY, and the embedded database does not', () => {
  const DATABASE_URL = 'postgres://root@127.0.0.1/postgres';
  expect(problemsOf({ DATABASE_URL })).toEqual([expect.stringMatching(/^SECRET_KEY is needed with DATABASE_URL/)]);
  expect(loadConfig({ DATABASE_URL, SECRET_KEY }).secretKey).toBe(SECRET_KEY);
});

test('a subgraph uses its own database server if its database URL is set, and otherwise DATABASE_URL', () => {
  const config = loadConfig({ DATABASE_URL: 'postgres://a/all', BILLING_DATABASE_URL: 'postgres://b/billing', SECRET_KEY });
  expect(databaseUrlsOf(config, 'billing')).toEqual({ url: 'postgres://b/billing', directUrl: 'postgres://b/billing' });
  expect(databaseUrlsOf(config, 'support')).toEqual({ url: 'postgres://a/all', directUrl: 'postgres://a/all' });
  expect(databaseUrlsOf(loadConfig({}), 'support')).toBeUndefined();
  expect(problemsOf({ BILLING_DATABASE_URL: 'postgres://b/billing' })).toEqual([expect.stringContaining('needs DATABASE_URL')]);
});

test('a setting such as BILLING_DATABASE_DIRECT_URL applies only to the database URL with the same prefix', () => {
  const pooled = { DATABASE_URL: 'postgres://pooler/all', DATABASE_DIRECT_URL: 'postgres://a/all', SECRET_KEY };
  const config = loadConfig({
    ...pooled,
    BILLING_DATABASE_URL: 'postgres://b/billing',
    SUPPORT_DATABASE_URL: 'postgres://pooler/support',
    SUPPORT_DATABASE_DIRECT_URL: 'postgres://c/support',
  });
  expect(databaseUrlsOf(config, 'identity')).toEqual({ url: 'postgres://pooler/all', directUrl: 'postgres://a/all' });
  expect(databaseUrlsOf(config, 'billing')).toEqual({ url: 'postgres://b/billing', directUrl: 'postgres://b/billing' });
  expect(databaseUrlsOf(config, 'support')).toEqual({ url: 'postgres://pooler/support', directUrl: 'postgres://c/support' });
  expect(problemsOf({ DATABASE_DIRECT_URL: 'postgres://a/all' })).toEqual([
    expect.stringMatching(/^DATABASE_DIRECT_URL needs DATABASE_URL:/),
  ]);
  expect(problemsOf({ ...pooled, BILLING_DATABASE_DIRECT_URL: 'postgres://b/billing' })).toEqual([
    expect.stringMatching(/^BILLING_DATABASE_DIRECT_URL needs BILLING_DATABASE_URL:/),
  ]);
});

test('a BOOTSTRAP_API_KEY of live mode is refused in sandbox mode', () => {
  expect(problemsOf({ BOOTSTRAP_API_KEY: `sk_live_${'a'.repeat(64)}`, SANDBOX: '1' })).toHaveLength(1);
});

test.each([
  [{ TLS_KEY: 'key.pem' }, /^TLS_CERT and TLS_KEY are needed together/],
  [{ TLS_CLIENT_CA: 'ca.pem' }, /^TLS_CLIENT_CA needs TLS_CERT and TLS_KEY, or CLIENT_CERT_HEADER/],
  [{ CLIENT_CERT_HEADER: 'x-client-cert' }, /^CLIENT_CERT_HEADER needs TRUSTED_PROXIES/],
  [{ CLIENT_CERT_HEADER: 'x client', TRUSTED_PROXIES: '10.0.0.1' }, /^CLIENT_CERT_HEADER must be the name of a header/],
])('incomplete TLS settings are reported: %j', (source, line) => {
  expect(problemsOf(source)).toEqual([expect.stringMatching(line)]);
});

test('a setting that is empty or only spaces has its default value', () => {
  expect(loadConfig({ PORT: '', DATABASE_URL: '', REDIS_URL: '  ' })).toEqual(loadConfig({}));
});

test('loadConfig removes the trailing slash of PUBLIC_ORIGIN and splits TRUSTED_PROXIES into a list', () => {
  const config = loadConfig({ PUBLIC_ORIGIN: 'https://api.example.com/', TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8' });
  expect(config.publicOrigin).toBe('https://api.example.com');
  expect(config.trustedProxies).toEqual(['10.0.0.0/8', '::1', 'fd00::/8']);
});

test('loadConfig accepts complete SMS settings and names each missing SMS setting', () => {
  const SMS = { SMS_ACCOUNT_SID: 'AC1', SMS_AUTH_TOKEN: 'secret', SMS_FROM: '+12125550100' };
  expect(loadConfig(SMS)).toMatchObject({ smsProviderUrl: 'https://api.twilio.com', smsAccountSid: 'AC1', smsFrom: '+12125550100' });
  for (const name of ['SMS_ACCOUNT_SID', 'SMS_AUTH_TOKEN', 'SMS_FROM']) {
    expect(problemsOf({ ...SMS, [name]: '' })).toEqual([expect.stringMatching(`^${name} must be set too`)]);
  }
  expect(problemsOf({ SMS_FROM: '+12125550100' })).toEqual([expect.stringMatching('^SMS_ACCOUNT_SID and SMS_AUTH_TOKEN must be set too')]);
  expect(problemsOf({ ...SMS, SMS_FROM: 'somebody' })[0]).toMatch(/^SMS_FROM must be/);
});

test('allowed origins are stored in the form that browsers send, and an origin with a path or wildcard is rejected', () => {
  expect(loadConfig({}).allowedOrigins).toBe('*');
  expect(
    loadConfig({ ALLOWED_ORIGINS: 'HTTPS://App.Example.com:443, http://localhost:3000,capacitor://localhost' }).allowedOrigins,
  ).toEqual(['https://app.example.com', 'http://localhost:3000', 'capacitor://localhost']);
  for (const bad of ['*,https://a.example', 'a.example', 'https://a.example/', 'https://a.example/app', 'null', 'https://*.a.example', ','])
    expect(problemsOf({ ALLOWED_ORIGINS: bad }), bad).toHaveLength(1);
});
