import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { decodeBase64, MAX_SIZE_BYTES } from './attachment.data.ts';
import { judge } from './attachment.type.ts';

/** A file as a caller sends it. */
export interface SentFile {
  filename: string;
  contentType: string;
  size?: number | null;
  data: string;
}

/** A file that may be kept. */
export interface CheckedFile {
  filename: string;
  contentType: string;
  content: Buffer;
  sha256: string;
}

/**
 * Looks at what callers sent, and says all that is wrong with it at once; what they sent is not repeated. Other requests have
 * their turn between two files.
 * @throws InvalidParameters naming `attachments.0.data` and the like
 */
export async function checkFiles(sent: readonly SentFile[]): Promise<CheckedFile[]> {
  const problems: FieldProblem[] = [];
  const checked: CheckedFile[] = [];
  for (const [index, file] of sent.entries()) {
    const result = await checkFile(file);
    if ('reason' in result) problems.push({ field: `attachments.${index}.${result.field}`, reason: result.reason });
    else checked.push(result);
    await setImmediate();
  }
  refuse(problems);
  return checked;
}

type Problem = { field: 'data' | 'size' | 'contentType'; reason: string };

async function checkFile({ filename, contentType, size, data }: SentFile): Promise<CheckedFile | Problem> {
  const content = decodeBase64(data);
  if (!content) return { field: 'data', reason: 'must be base64 (RFC 4648, section 4), padded and without line breaks' };
  if (content.length > MAX_SIZE_BYTES) return { field: 'data', reason: `must have at most ${MAX_SIZE_BYTES} bytes` };
  if (typeof size === 'number' && size !== content.length) return { field: 'size', reason: `is not that of the data, ${content.length}` };
  const verdict = await judge(content, contentType);
  if ('reason' in verdict) return verdict;
  return { filename: filename.normalize('NFC'), contentType: verdict.contentType, content, sha256: hash('sha256', content) };
}
