import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ForbiddenAddress, isPublicAddress, UrlGuard } from './ssrf.ts';

const guard = new UrlGuard({ allowPrivate: false });
const open = new UrlGuard({ allowPrivate: true });
const PRIVATE = 'must not lead to a private, loopback or link-local address';

/** Spellings of non-public addresses, each with the address that it stands for. */
const FORBIDDEN: readonly (readonly [spelling: string, address: string])[] = [
  // loopback, in every spelling of the URL standard
  ['127.0.0.1', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['127.0.1', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['0X7F000001', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['0x7f.0.0x0.01', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['0000000000177.0.0.1', '127.0.0.1'],
  ['017700000001', '127.0.0.1'],
  ['１２７.0.0.1', '127.0.0.1'],
  ['①②⑦.⓪.⓪.①', '127.0.0.1'],
  ['127。0｡0．1', '127.0.0.1'],
  ['%31%32%37%2e0.0.1', '127.0.0.1'],
  ['127\t.0.0.1', '127.0.0.1'],
  ['127.0.0.1\\@example.com', '127.0.0.1'],
  ['127.0.0.1#@example.com', '127.0.0.1'],
  ['127.0.0.1:443', '127.0.0.1'],
  ['127.0.0.1:8443', '127.0.0.1'],
  ['127.255.255.254', '127.255.255.254'],
  ['0.0.0.0', '0.0.0.0'],
  ['0', '0.0.0.0'],
  ['0x', '0.0.0.0'],
  // private and shared address ranges
  ['10.0.0.1', '10.0.0.1'],
  ['10.1', '10.0.0.1'],
  ['10.255.255.255', '10.255.255.255'],
  ['172.16.0.1', '172.16.0.1'],
  ['172.31.255.255', '172.31.255.255'],
  ['192.168.1.1', '192.168.1.1'],
  ['192.168.257', '192.168.1.1'],
  ['0300.0250.1.1', '192.168.1.1'],
  ['3232235777', '192.168.1.1'],
  ['100.64.0.1', '100.64.0.1'],
  // metadata services: AWS, Azure, Google and others (169.254.169.254), Amazon ECS, Alibaba and Oracle; the host of an
  // Azure virtual machine
  ['169.254.169.254', '169.254.169.254'],
  ['0xa9fea9fe', '169.254.169.254'],
  ['2852039166', '169.254.169.254'],
  ['0251.0376.0251.0376', '169.254.169.254'],
  ['169.254.170.2', '169.254.170.2'],
  ['100.100.100.200', '100.100.100.200'],
  ['192.0.0.192', '192.0.0.192'],
  ['168.63.129.16', '168.63.129.16'],
  ['[fd00:ec2::254]', 'fd00:ec2::254'],
  ['[fd20:ce::254]', 'fd20:ce::254'],
  // address ranges for protocol assignments, documentation, benchmarks, relays and multicast, and reserved ranges
  ['192.0.0.1', '192.0.0.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['192.88.99.1', '192.88.99.1'],
  ['198.18.0.1', '198.18.0.1'],
  ['198.19.255.255', '198.19.255.255'],
  ['198.51.100.1', '198.51.100.1'],
  ['203.0.113.1', '203.0.113.1'],
  ['224.0.0.1', '224.0.0.1'],
  ['239.255.255.255', '239.255.255.255'],
  ['240.0.0.1', '240.0.0.1'],
  ['4294967295', '255.255.255.255'],
  // special ranges of IPv6
  ['[::1]', '::1'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['[0000:0000:0000:0000:0000:0000:0000:0001]:8443', '::1'],
  ['[::]', '::'],
  ['[fc00::1]', 'fc00::1'],
  ['[FD12:3456::1]', 'fd12:3456::1'],
  ['[fe80::1]', 'fe80::1'],
  ['[febf::1]', 'febf::1'],
  ['[fec0::1]', 'fec0::1'],
  ['[ff02::1]', 'ff02::1'],
  ['[100::1]', '100::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[3fff::1]', '3fff::1'],
  ['[5f00::1]', '5f00::1'],
  // all IPv6 forms that contain an IPv4 address: mapped, compatible, translated (SIIT, NAT64), 6to4, Teredo
  ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
  ['[::FFFF:7F00:1]', '::ffff:7f00:1'],
  ['[0:0:0:0:0:ffff:a9fe:a9fe]', '::ffff:a9fe:a9fe'],
  ['[::ffff:10.0.0.1]', '::ffff:a00:1'],
  ['[::ffff:8.8.8.8]', '::ffff:808:808'],
  ['[::127.0.0.1]', '::7f00:1'],
  ['[::ffff:0:127.0.0.1]', '::ffff:0:7f00:1'],
  ['[64:ff9b::7f00:1]', '64:ff9b::7f00:1'],
  ['[64:ff9b::169.254.169.254]', '64:ff9b::a9fe:a9fe'],
  ['[64:ff9b:1::a00:1]', '64:ff9b:1::a00:1'],
  ['[2002:7f00:1::]', '2002:7f00:1::'],
  ['[2002:a9fe:a9fe::1]', '2002:a9fe:a9fe::1'],
  ['[2001::1]', '2001::1'],
  ['[2001:0:7f00:1::]', '2001:0:7f00:1::'],
];

test.each(FORBIDDEN)('a URL with the host %s, which is the address %s, is refused as private', async (spelling, address) => {
  const url = `https://${spelling}/hook`;
  expect(new URL(url).hostname).toBe(address.includes(':') ? `[${address}]` : address);
  expect(isPublicAddress(address)).toBe(false);
  expect(await guard.problemWith(url)).toBe(PRIVATE);
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '134744072',
  '９.９.９.９',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '169.253.0.1',
  '168.63.129.17',
  '[2606:4700:4700::1111]',
  '[2a00:1450:4001::1]:8443',
])('the address %s is accepted as public', async (host) => {
  const { hostname } = new URL(`https://${host}/hook`);
  expect(isPublicAddress(hostname.replace(/^\[|\]$/g, ''))).toBe(true);
  expect(await guard.problemWith(`https://${host}/hook`)).toBeUndefined();
});

test.each([
  ['http://8.8.8.8/', 'must be an https URL'],
  ['ftp://8.8.8.8/', 'must be an https URL'],
  ['file:///etc/passwd', 'must be an https URL'],
  ['gopher://8.8.8.8/', 'must be an https URL'],
  ['data:text/plain,x', 'must be an https URL'],
  ['example.com', 'must be a URL such as https://example.com/hooks'],
  ['//example.com/hook', 'must be a URL such as https://example.com/hooks'],
  ['https://', 'must be a URL such as https://example.com/hooks'],
  ['https://256.1.1.1/', 'must be a URL such as https://example.com/hooks'],
  ['https://[fe80::1%25eth0]/', 'must be a URL such as https://example.com/hooks'],
  ['https://[::ffff:0x7f.1]/', 'must be a URL such as https://example.com/hooks'],
  ['https://user:secret@8.8.8.8/', 'must not contain a user name or password'],
  ['https://example.com@8.8.8.8/', 'must not contain a user name or password'],
  ['https://:secret@8.8.8.8/', 'must not contain a user name or password'],
])('the URL %s is refused: %s', async (url, reason) => {
  expect(await guard.problemWith(url)).toBe(reason);
});

test.each(['example.com', '', '127.1', '0x7f000001', '[::1]', 'fe80::1%eth0', '2606:4700:4700::1111%eth0', '::ffff:127.0.0.1', '8.8.8.8 '])(
  'isPublicAddress returns false for the text %j',
  (text) => {
    expect(isPublicAddress(text)).toBe(false);
  },
);

test('in development, http URLs and private addresses are accepted, and schemes other than http and https are refused', async () => {
  expect(await open.problemWith('http://127.0.0.1:8080/hook')).toBeUndefined();
  expect(await open.problemWith('ftp://127.0.0.1/hook')).toBe('must be an https URL');
});

const addressOf = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });

/**
 * Creates a guard with a simulated resolver. `asked` lists the host names that the guard has resolved. Each call of the
 * resolver returns the next item of `answers`; after the last item, it returns the last item again.
 */
function guardOf(...answers: readonly (readonly string[])[]): { guard: UrlGuard; asked: string[] } {
  const asked: string[] = [];
  const resolve = async (hostname: string): Promise<LookupAddress[]> => {
    asked.push(hostname);
    return (answers[Math.min(asked.length, answers.length) - 1] ?? []).map(addressOf);
  };
  return { guard: new UrlGuard({ allowPrivate: false, resolve }), asked };
}

/**
 * Requests a URL through an agent of the guard. Returns the addresses that the agent was about to connect to, and the
 * error of the request. The socket is destroyed before it connects, so no connection is opened.
 */
async function dialled(by: UrlGuard, url: string): Promise<{ addresses: string[]; error: Error }> {
  const addresses: string[] = [];
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('lookup', (_, address) => {
      if (!address) return;
      addresses.push(address);
      socket.destroy(new Error('no network in tests'));
    });
  };
  subscribe('net.client.socket', onSocket);
  const agent = by.agent({ connectTimeoutMs: 1000 });
  try {
    const error = await request(url, { dispatcher: agent }).then(
      () => new Error('it was answered'),
      (reason: Error) => reason,
    );
    return { addresses, error };
  } finally {
    unsubscribe('net.client.socket', onSocket);
    await agent.destroy();
  }
}

describe('host names', () => {
  test.each([
    ['localhost', ['127.0.0.1', '::1']],
    ['LOCALHOST.', ['127.0.0.1']],
    ['localtest.me', ['127.0.0.1']],
    ['metadata.google.internal', ['169.254.169.254']],
    ['mixed.example.com', ['8.8.8.8', '10.0.0.1']],
    ['six.example.com', ['::ffff:10.0.0.1']],
    ['linklocal.example.com', ['fe80::1%eth0']],
    ['bücher.example', ['192.168.1.1']],
    ['ｌｏｃａｌｈｏｓｔ', ['127.0.0.1']],
  ])('a URL and a connection with the host name %s are refused if any address of the name is private', async (name, addresses) => {
    expect(await guardOf(addresses).guard.problemWith(`https://${name}/`)).toBe(PRIVATE);
    const { error, addresses: reached } = await dialled(guardOf(addresses).guard, `http://${name}/`);
    expect([error, reached]).toEqual([expect.any(ForbiddenAddress), []]);
  });

  test('a connection is refused if its host name resolves first to a public address and then to a private address', async () => {
    const { guard: rebound, asked } = guardOf(['8.8.8.8'], ['169.254.169.254']);
    expect(await rebound.problemWith('https://rebind.example.com/')).toBeUndefined();
    const { error, addresses } = await dialled(rebound, 'http://rebind.example.com/');
    expect([error, addresses]).toEqual([expect.any(ForbiddenAddress), []]);
    expect(asked).toEqual(['rebind.example.com', 'rebind.example.com']);
  });

  test('the host name of a connection is resolved once, and the connection uses the address that the guard checked', async () => {
    const { guard: pinned, asked } = guardOf(['8.8.8.8'], ['127.0.0.1']);
    const { error, addresses } = await dialled(pinned, 'http://pinned.example.com/');
    expect([error.message, addresses]).toEqual(['no network in tests', ['8.8.8.8']]);
    expect(asked).toEqual(['pinned.example.com']);
  });

  test('a URL whose host name cannot be resolved is accepted, and a connection to the URL fails', async () => {
    const failing = new UrlGuard({ allowPrivate: false, resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await failing.problemWith('https://no-such-host.example.com/hook')).toBeUndefined();
    expect((await dialled(failing, 'http://no-such-host.example.com/')).error.message).toBe('ENOTFOUND');
    expect((await dialled(guardOf([]).guard, 'http://empty.example.com/')).error).toBeInstanceOf(ForbiddenAddress);
  });
});

test.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])(
  'a connection to the private host %s is refused, and no connection reaches the server',
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
