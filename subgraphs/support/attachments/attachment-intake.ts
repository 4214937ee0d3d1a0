import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { decodeBase64, MAX_SIZE_BYTES } from './attachment-data.ts';
import { checkContentType } from './attachment-type.ts';

/** A file in the form in which the caller sent it. */
export interface SentFile {
  filename: string;
  contentType: string;
  size?: number | null;
  data: string;
}

/** A file that passed all checks. */
export interface CheckedFile {
  filename: string;
  contentType: string;
  content: Buffer;
  sha256: string;
}

/**
 * Checks files and reports the problems of all files in one error. Error messages never contain the sent content.
 * Pauses after the check of each file, so that other requests can run.
 * @throws InvalidParameters with fields such as `attachments.0.data`
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
  if (typeof size === 'number' && size !== content.length)
    return { field: 'size', reason: `must be the size of the data, ${content.length}` };
  const verdict = await checkContentType(content, contentType);
  if ('reason' in verdict) return verdict;
  return { filename: filename.normalize('NFC'), contentType: verdict.contentType, content, sha256: hash('sha256', content) };
}
