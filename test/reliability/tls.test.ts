import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { startPlatform } from '../../apps/platform/platform.ts';
import { describeStartError } from '../../apps/platform/start-error.ts';
import { loadConfig } from '../../kernel/settings/config.ts';
import { eventually } from '../rig.ts';
import { issue, issueAuthority, issueForServer, rsa } from '../support/certificates.ts';
import { originOf, runPlatform, temporaryFolder } from '../support/process.ts';
import { serverFiles, written } from '../support/tls.ts';

const DAMAGED = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

const refused: [string, RegExp, () => Promise<Record<string, string>>][] = [
  ['a certificate without its key', /^TLS_CERT and TLS_KEY are needed together/, async () => ({ TLS_KEY: '' })],
  ['a file that does not exist', /^TLS_CERT: \/none cannot be read \(ENOENT\)\.$/, async () => ({ TLS_CERT: '/none' })],
  ['a file without a certificate', /^TLS_CERT: \S+ contains no certificate in PEM format\.$/, async () => ({ TLS_CERT: written('') })],
  ['a damaged certificate', /^TLS_CERT: \S+ contains a damaged certificate\.$/, async () => ({ TLS_CERT: written(DAMAGED) })],
  ['a file without a key', /^TLS_KEY: \S+ contains no private key in PEM format\.$/, async () => ({ TLS_KEY: written('secret') })],
  [
    'the key of another certificate',
    /^TLS_KEY: the key in \S+ does not belong to \S+\.$/,
    async () => ({ TLS_KEY: written((await issue()).key) }),
  ],
  ['an encrypted key', /^TLS_KEY: \S+ is encrypted; /, async () => ({ TLS_KEY: written(await encryptedKey()) })],
  ['a key that is too weak for TLS', /^TLS_CERT: \S+ cannot be used: .+\.$/, weakServer],
  [
    'an invalid file of authorities',
    /^TLS_CLIENT_CA: \S+ contains a certificate that is not of a certificate authority: CN=client-\d+, O=Test\.$/,
    notOnlyAuthorities,
  ],
  [
    'an empty file of authorities',
    /^TLS_CLIENT_CA: \S+ contains no certificate in PEM format\.$/,
    async () => ({ TLS_CLIENT_CA: written('') }),
  ],
];

const assembled = () => Promise.reject(new Error('The platform was put together all the same.'));

test.each(refused)('an invalid TLS setting throws a start error of one line: %s, %s', async (_, line, settings) => {
  const environment = { PORT: '0', DATA_DIR: temporaryFolder(), ...(await serverFiles()), ...(await settings()) };
  const starting = async () => startPlatform(loadConfig(environment), assembled);
  const message = describeStartError(await starting().catch((error: unknown) => error));
  expect(message).toMatch(line);
  expect(message).not.toContain('\n');
});

test('the platform with an invalid certificate prints one line and exits with 1', async () => {
  const environment = { ...(await serverFiles()), TLS_CERT: '/none' };
  expect(await runPlatform(['--port', '0', '--data', temporaryFolder()], environment).exited).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'TLS_CERT: /none cannot be read (ENOENT).\n',
  });
});

test('a platform with TLS uses https and wss, and SIGHUP loads a renewed certificate and ignores an invalid one', async () => {
  const files = await serverFiles();
  const platform = runPlatform(['--port', '0', '--data', temporaryFolder()], files);
  const origin = await originOf(platform);
  expect(origin).toMatch(/^https:/);
  expect(platform.stdout).toMatch(/WebSocket +wss:/);
  const first = await servedBy(origin);

  const renewed = await issueForServer();
  writeFileSync(files.TLS_CERT, renewed.pem);
  writeFileSync(files.TLS_KEY, renewed.key);
  expect(await servedBy(origin)).toBe(first);
  platform.kill('SIGHUP');
  const second = await eventually(async () => {
    const served = await servedBy(origin);
    return served !== first && served;
  });

  rmSync(files.TLS_KEY);
  platform.kill('SIGHUP');
  await eventually(() => platform.stdout.includes('could not be reloaded'));
  expect(await servedBy(origin)).toBe(second);
  expect(platform.isRunning).toBe(true);
});

/** The fingerprint of the certificate that the server uses. */
async function servedBy(origin: string): Promise<string> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

const encryptedKey = async (): Promise<string> =>
  createPrivateKey((await issue()).key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' }) as string;

async function weakServer(): Promise<Record<string, string>> {
  const { pem, key } = await issueForServer({ algorithm: rsa(1024) });
  return { TLS_CERT: written(pem), TLS_KEY: written(key) };
}

async function notOnlyAuthorities(): Promise<Record<string, string>> {
  return { TLS_CLIENT_CA: written(`${(await issueAuthority()).pem}${(await issue()).pem}`) };
}
