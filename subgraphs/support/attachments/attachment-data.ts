/** Maximum size of one attached file. */
export const MAX_SIZE_BYTES = 10 * 1024 * 1024;
export const MAX_DATA_LENGTH = Math.ceil(MAX_SIZE_BYTES / 3) * 4;
/** Maximum number of files of one ticket or comment. */
export const MAX_FILES = 10;

/**
 * Decodes base64 as defined in RFC 4648, section 4: padded, without line breaks, and with zero padding bits. Returns
 * undefined for any other text. Node's decoder ignores invalid characters, so the result is encoded again and compared
 * with the input. A regular expression is not used, because it could exhaust the stack on megabytes of text.
 */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
