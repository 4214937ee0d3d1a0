import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Groups of an IPv6 address that name a network; its hosts move freely in the others. */
const NETWORK_GROUPS = 4;

/**
 * The part of an address that counts as one place: all of an IPv4 address, also where it comes mapped into IPv6, and the /64 of
 * an IPv6 address, because one customer has at least that much.
 */
export function networkOf(ip: string): string {
  if (isIPv4(ip) || !isIPv6(ip)) return ip;
  const address = ipaddr.parse(ip);
  if (!(address instanceof ipaddr.IPv6)) return ip;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const groups = address.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
