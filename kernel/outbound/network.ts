import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Number of groups (16 bits each) at the start of an IPv6 address that identify a network. A host can use any address of its network. */
const NETWORK_GROUPS = 4;

/**
 * Returns the part of an address that counts as one caller: a whole IPv4 address, also if it is mapped into IPv6, or
 * the /64 network of an IPv6 address, because a customer usually gets at least a /64 network.
 */
export function networkOf(ip: string): string {
  if (isIPv4(ip) || !isIPv6(ip)) return ip;
  const address = ipaddr.parse(ip);
  if (!(address instanceof ipaddr.IPv6)) return ip;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const groups = address.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
