const BLOCK = 512;
const NAME_MAX = 100;

/** The end marker of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** Returns one file of a tar archive (POSIX.1-1988, ustar): header and content, padded to whole blocks. */
export function tarEntry(name: string, content: Buffer, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > NAME_MAX) throw new Error(`${name} is too long for a file name in an archive.`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  const fields: [number, string][] = [
    [0, name],
    [100, octal(0o600, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(content.length, 11)],
    [136, octal(Math.floor(modifiedAt.getTime() / 1000), 11)],
    // the checksum is computed as if its own field contained spaces
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
  ];
  for (const [offset, text] of fields) header.write(text, offset, 'utf8');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return Buffer.concat([header, content, Buffer.alloc(-content.length & (BLOCK - 1))]);
}
