import { isIP } from 'node:net';
import { ValidateBy } from 'class-validator';
import ipaddr from 'ipaddr.js';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';

/** Maximum number of ranges in a list. */
export const RANGES_MAX = 100;

type Address = ReturnType<typeof ipaddr.parse>;

/** A range of IP addresses: all addresses that begin with the same `bits` bits as `address`. */
export interface IpRange {
  address: Address;
  bits: number;
}

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address. Returns undefined for anything else, such as the octal `010.0.0.1`. */
export function parseIpRange(text: string): IpRange | undefined {
  const [start = '', length, ...rest] = text.split('/');
  const family = isIP(start);
  if (!family || start.includes('%') || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;

  const width = family === 4 ? 32 : 128;
  const bits = length === undefined ? width : Number(length);
  if (bits > width) return undefined;
  const address = ipaddr.parse(start);
  // ::ffff:10.0.0.0/104 matches the same callers as 10.0.0.0/8
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? { address: address.toIPv4Address(), bits: bits - 96 } : { address, bits };
}

/** Returns whether an address is in one of the ranges. An IPv4-mapped IPv6 address counts as IPv4. */
export function isWithin(ip: string, ranges: readonly IpRange[]): boolean {
  if (!isIP(ip)) return false;
  const caller = ipaddr.process(ip);
  return ranges.some(({ address, bits }) => address.kind() === caller.kind() && caller.match(address, bits));
}

const isRange = (value: unknown): boolean => typeof value === 'string' && parseIpRange(value) !== undefined;

export const IsIpRange = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isIpRange', validator: { validate: isRange } },
    {
      each: true,
      ...jsonSchema({ format: 'cidr', pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$' }),
      message: 'must be a list of CIDR ranges such as 203.0.113.0/24 or 2001:db8::/32',
    },
  );
