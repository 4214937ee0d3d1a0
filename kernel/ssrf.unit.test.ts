import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { ForbiddenAddress, isPublicAddress, UrlGuard } from './ssrf.ts';

const guard = new UrlGuard({ allowPrivate: false });
const open = new UrlGuard({ allowPrivate: true });

test.each([
  // loopback, in every spelling that the URL standard knows
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '１２７.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  'localhost',
  'LOCALHOST',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  // private, shared, link-local and metadata
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '169.254.0.1',
  // protocol assignments, documentation, benchmarks, multicast, reserved
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  // IPv6: own ranges, and every form that holds an IPv4 address
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001::1]',
])('%s is not called', async (host) => {
  expect(await guard.problemWith(`https://${host}/hook`)).toBe('must not lead to a private, loopback or link-local address');
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '169.253.0.1',
  '[2606:4700:4700::1111]',
  '[2a00:1450:4001::1]',
])('%s is public', async (host) => {
  expect(await guard.problemWith(`https://${host}/hook`)).toBeUndefined();
});

test.each([
  ['http://8.8.8.8/', 'must be an https URL'],
  ['ftp://8.8.8.8/', 'must be an https URL'],
  ['file:///etc/passwd', 'must be an https URL'],
  ['example.com', 'must be a URL such as https://example.com/hooks'],
  ['https://', 'must be a URL such as https://example.com/hooks'],
  ['https://user:secret@8.8.8.8/', 'must not hold a user name or password'],
])('%s is refused: %s', async (url, reason) => {
  expect(await guard.problemWith(url)).toBe(reason);
});

test('a name that does not resolve is let through, and is checked when it is called', async () => {
  expect(await guard.problemWith('https://no-such-host.invalid/hook')).toBeUndefined();
});

test('for development http and private addresses are open, other schemes are not', async () => {
  expect(await open.problemWith('http://127.0.0.1:8080/hook')).toBeUndefined();
  expect(await open.problemWith('ftp://127.0.0.1/hook')).toBe('must be an https URL');
});

test.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])(
  'a connection to %s is refused at dial time and never reaches the server',
  async (host) => {
    let connections = 0;
    const server = createServer((_, response) => response.end()).on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const agent = guard.agent({ connectTimeoutMs: 1000 });
    onTestFinished(() => agent.destroy());

    await expect(request(`http://${host}:${port}/`, { dispatcher: agent })).rejects.toThrow(ForbiddenAddress);
    expect(connections).toBe(0);

    const openAgent = open.agent({ connectTimeoutMs: 1000 });
    onTestFinished(() => openAgent.destroy());
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/`, { dispatcher: openAgent });
    await body.dump();
    expect(statusCode).toBe(200);
  },
);

test('what is no address is not public', () => {
  expect(isPublicAddress('example.com')).toBe(false);
  expect(isPublicAddress('')).toBe(false);
});
