/** What one file may have at most. */
export const MAX_SIZE_BYTES = 10 * 1024 * 1024;
export const MAX_DATA_LENGTH = Math.ceil(MAX_SIZE_BYTES / 3) * 4;
/** Files with one ticket or comment. */
export const MAX_FILES = 10;

/**
 * The bytes of base64 after RFC 4648, section 4: padded, without line breaks, with nothing in the bits that no byte needs.
 * Undefined for anything else. Node's decoder skips what it does not know, so what it read is written again and compared: two
 * native passes, where a regular expression over megabytes may exhaust the stack.
 */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
