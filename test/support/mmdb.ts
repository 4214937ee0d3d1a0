import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Creates a MaxMind DB file (format 2.0) with the country of each network, such as `81.2.69.0/24`. */
export function countryDatabase(networks: Readonly<Record<string, string>>): Buffer {
  const nodes: [Slot, Slot][] = [[undefined, undefined]];
  const data = new Data();
  for (const [network, country] of Object.entries(networks)) {
    insert(nodes, bitsOf(network), data.add(encode({ country: { iso_code: country } })));
  }
  const tree = Buffer.concat(nodes.flatMap(([left, right]) => [left, right].map((slot) => record(slot, nodes.length))));
  return Buffer.concat([tree, Buffer.alloc(SEPARATOR_BYTES), data.bytes, METADATA_MARKER, encode(metadata(nodes.length))]);
}

/** An entry in the search tree: another node, the offset of a record, or nothing. */
type Slot = { node: number } | { offset: number } | undefined;
const SEPARATOR_BYTES = 16;
const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

class Data {
  bytes = Buffer.alloc(0);

  add(encoded: Buffer): { offset: number } {
    const offset = this.bytes.length;
    this.bytes = Buffer.concat([this.bytes, encoded]);
    return { offset };
  }
}

/** The bits of a network in the IPv6 tree, which contains IPv4 addresses at ::/96. */
function bitsOf(network: string): number[] {
  const [address = '', length] = network.split('/');
  const bytes = ipaddr.parse(address).toByteArray();
  const isV4 = isIPv4(address);
  const all = [...(isV4 ? Array<number>(12).fill(0) : []), ...bytes].flatMap((byte) =>
    Array.from({ length: 8 }, (_, index) => (byte >> (7 - index)) & 1),
  );
  return all.slice(0, Number(length) + (isV4 ? 96 : 0));
}

function insert(nodes: [Slot, Slot][], bits: number[], leaf: Slot): void {
  let at = 0;
  for (const bit of bits.slice(0, -1)) {
    const pair = nodes[at] as [Slot, Slot];
    const next = pair[bit as 0 | 1];
    if (next && 'node' in next) {
      at = next.node;
      continue;
    }
    pair[bit as 0 | 1] = { node: nodes.length };
    at = nodes.length;
    nodes.push([undefined, undefined]);
  }
  (nodes[at] as [Slot, Slot])[bits.at(-1) as 0 | 1] = leaf;
}

function record(slot: Slot, count: number): Buffer {
  const value = !slot ? count : 'node' in slot ? slot.node : count + SEPARATOR_BYTES + slot.offset;
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(value, 0, 3);
  return bytes;
}

const metadata = (nodes: number) => ({
  binary_format_major_version: 2,
  binary_format_minor_version: 0,
  build_epoch: 1_767_225_600,
  database_type: 'Test-Country',
  description: { en: 'Countries of a test' },
  ip_version: 6,
  languages: ['en'],
  node_count: nodes,
  record_size: 24,
});

type Value = string | number | readonly Value[] | { readonly [name: string]: Value };

/** Encodes a value. The size must be at most 28, because it is stored in the control byte. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.from([(2 << 5) | Buffer.byteLength(value)]), Buffer.from(value)]);
  if (typeof value === 'number') return Buffer.concat([Buffer.from([(6 << 5) | 4]), uint32(value)]);
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([Buffer.from([(7 << 5) | entries.length]), ...entries.flatMap(([name, member]) => [encode(name), encode(member)])]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
