import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';

/**
 * IPv4 addresses that are not on the public internet, mostly from IANA's special-purpose registry. The ranges include
 * the metadata services of the cloud providers. The last address is added for Azure.
 */
const FORBIDDEN_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // a public address, but inside an Azure virtual machine it reaches the host
  '168.63.129.16/32',
];
/**
 * Forbidden parts of the global unicast range: Teredo and other protocol assignments, documentation, and 6to4, which
 * embeds an IPv4 address.
 */
const FORBIDDEN_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/**
 * The global unicast range. IPv6 addresses outside of it are loopback, private, link-local or multicast, or embed an
 * IPv4 address (mapped, NAT64, SIIT).
 */
const GLOBAL_IPV6 = '2000::/3';

const forbidden = blockListOf([...FORBIDDEN_IPV4, ...FORBIDDEN_IPV6]);
const globalIpv6 = blockListOf([GLOBAL_IPV6]);

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Returns true if an address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  // an address with a zone is always local
  if (address.includes('%')) return false;
  if (isIP(address) === 4) return !forbidden.check(address, 'ipv4');
  return isIP(address) === 6 && globalIpv6.check(address, 'ipv6') && !forbidden.check(address, 'ipv6');
}

/**
 * Thrown if the platform refuses a connection because the address is not public. The error does not contain the
 * resolved address.
 */
export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';

  constructor() {
    super('the address is private, loopback or link-local');
    this.name = 'ForbiddenAddress';
  }
}

/** Resolves a host name to all its addresses. Default: the system's resolver. */
export type Resolve = (hostname: string, options: LookupAllOptions) => Promise<LookupAddress[]>;

const RESOLVE_TIMEOUT_MS = 2000;

/**
 * Guards against server-side request forgery by URLs that callers provide: webhooks, Slack, Jira, key sets.
 * `problemWith` only creates a message for the caller. It does not protect, because a host name may resolve to another
 * address later. So the connections of `agent` check the address that they use.
 */
export class UrlGuard {
  readonly #allowPrivate: boolean;
  readonly #resolve: Resolve;

  constructor({ allowPrivate, resolve = lookup }: { allowPrivate: boolean; resolve?: Resolve }) {
    this.#allowPrivate = allowPrivate;
    this.#resolve = resolve;
  }

  /**
   * Returns the reason if a URL must not be called; otherwise undefined. A host name that cannot be resolved is
   * accepted, because it may resolve when the URL is called.
   */
  async problemWith(text: string): Promise<string | undefined> {
    const url = URL.parse(text);
    if (!url) return 'must be a URL such as https://example.com/hooks';
    if (url.protocol !== 'https:' && !(this.#allowPrivate && url.protocol === 'http:')) return 'must be an https URL';
    if (url.username || url.password) return 'must not contain a user name or password';
    if (this.#allowPrivate) return undefined;
    const addresses = await this.#addressesOf(hostOf(url));
    return addresses.every(isPublicAddress) ? undefined : 'must not lead to a private, loopback or link-local address';
  }

  /**
   * Returns an agent that connects only to public addresses, unless the guard allows private addresses. It checks the
   * resolved address and connects to this address, without resolving the host name again.
   */
  agent(options: Omit<Agent.Options, 'connect' | 'factory'> & { connectTimeoutMs: number }): Agent {
    const { connectTimeoutMs, ...rest } = options;
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      allowH2: false,
      lookup: this.#allowPrivate ? undefined : this.#publicLookup,
    } as buildConnector.BuildOptions);
    if (this.#allowPrivate) return new Agent({ ...rest, connect });
    // a URL with an IP address needs no lookup, so the address is checked here
    const guarded: buildConnector.connector = (target, callback) => {
      const host = unbracketed(target.hostname);
      if (isIP(host) && !isPublicAddress(host)) callback(new ForbiddenAddress(), null);
      else connect(target, callback);
    };
    return new Agent({ ...rest, connect: guarded });
  }

  async #addressesOf(host: string): Promise<string[]> {
    if (isIP(host)) return [host];
    const late = new Promise<LookupAddress[]>((resolve) => setTimeout(resolve, RESOLVE_TIMEOUT_MS, []).unref());
    const found = await Promise.race([this.#resolve(host, { all: true }).catch(() => []), late]);
    return found.map(({ address }) => address);
  }

  /** Resolves a host name once per connection. Fails if any of its addresses is not public. */
  readonly #publicLookup: LookupFunction = (hostname, options, callback) => {
    void this.#resolve(hostname, { ...options, all: true }).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicAddress(address))) callback(new ForbiddenAddress(), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

const unbracketed = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host);
/**
 * Returns the host of a URL, which the URL parser has normalized: `0x7f.1`, `2130706433` and `127.1` all become
 * 127.0.0.1.
 */
const hostOf = (url: URL): string => unbracketed(url.hostname);
