import { fileTypeFromBuffer } from 'file-type';

/** Result of the content check: the media type to store, or why the file is rejected. */
export type ContentTypeCheck = { contentType: string } | { field: 'contentType' | 'data'; reason: string };

const PROGRAM = 'must not be a program or script';
const UNKNOWN = 'application/octet-stream';
const PROGRAMS: ReadonlySet<string> = new Set([
  'application/x-elf',
  'application/x-mach-binary',
  'application/java-vm',
  'application/java-archive',
  'application/vnd.android.package-archive',
  'application/x-ms-shortcut',
  'application/x.ms.shortcut',
  'application/x-chrome-extension',
  'application/x-google-chrome-extension',
  'application/x-deb',
  'application/x-rpm',
]);
const CLAIMED_PROGRAMS =
  /^(text|application)\/(x-)?(javascript|ecmascript|jscript|vbscript|sh|shellscript|csh|bat|msdownload|msdos-program|dosexec|executable|sharedlib|powershell|msi)$/;
/**
 * Media types of container formats, such as archives. The check cannot detect what a container contains, so the media
 * type that the sender claims is stored.
 */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-cfb',
  'application/xml',
  'application/gzip',
  'application/ogg',
]);

/** Class id of Windows Installer. It distinguishes .msi files from other files in the compound file format. */
const MSI = Buffer.from('84100c0000000000c000000000000046', 'hex');
const MAGICS = [
  '7f454c46',
  'feedface',
  'feedfacf',
  'cefaedfe',
  'cffaedfe',
  'cafebabe',
  '4c0000000114020000000000c000000000000046',
  '6465780a',
].map((hex) => Buffer.from(hex, 'hex'));

/**
 * Determines the media type to store, from the content and from the type `claimed` that the sender states. Programs and
 * scripts are rejected. A file is also rejected if its detected type and its claimed type are of different kinds, such
 * as image and video. Otherwise the detected type is stored. Text and container formats keep the claimed type, and
 * unrecognized binary content becomes `application/octet-stream`.
 */
export async function checkContentType(content: Buffer, claimed: string): Promise<ContentTypeCheck> {
  const claim = (claimed.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (CLAIMED_PROGRAMS.test(claim)) return { field: 'contentType', reason: PROGRAM };
  const text = isText(content);
  if (text ? isScript(content) : isProgram(content)) return { field: 'data', reason: PROGRAM };
  const found = (await fileTypeFromBuffer(content))?.mime.split(';', 1)[0];
  if (text) return judgeText(claim, found);
  if (!found || found === 'application/x-msdownload') return judgeUnknown(claim);
  if (PROGRAMS.has(found) || (found === 'application/x-cfb' && content.includes(MSI))) return { field: 'data', reason: PROGRAM };
  if (claim === found || claim === UNKNOWN) return { contentType: found };
  if (kindOf(claim) !== kindOf(found)) return mismatch(claim, found);
  return { contentType: CONTAINERS.has(found) ? claim : found };
}

/**
 * Formats whose files can be plain text and begin with a keyword, such as `%PDF`. The keyword alone is enough to detect
 * the format.
 */
const WORDED: ReadonlySet<string> = new Set(['application/pdf', 'application/postscript', 'application/rtf', 'application/xml']);

/**
 * Checks content that is text. Many types are text-based (JSON, SVG, mails), so the claimed type is usually accepted. A
 * claimed type that is never text is rejected: image, audio, video, font or PDF. A detected type is used only for the
 * `WORDED` formats, because other formats are detected by their first letters alone. For example, `BM` begins both a
 * bitmap and many sentences.
 */
function judgeText(claim: string, found: string | undefined): ContentTypeCheck {
  if (claim === found) return { contentType: claim };
  if (claim === UNKNOWN) return { contentType: found && WORDED.has(found) ? found : 'text/plain' };
  const isOther = claim !== 'image/svg+xml' && ['image', 'media', 'font'].includes(kindOf(claim));
  return isOther || claim === 'application/pdf' ? mismatch(claim, 'text') : { contentType: claim };
}

/**
 * Checks binary content whose type was not detected. Rejects the content if files of the claimed type are always
 * detected, or if the claimed type is text.
 */
function judgeUnknown(claim: string): ContentTypeCheck {
  if (kindOf(claim) === 'text') return mismatch(claim, 'not text');
  return ['image', 'font'].includes(kindOf(claim)) || claim === 'application/pdf'
    ? mismatch(claim, 'something else')
    : { contentType: UNKNOWN };
}

const mismatch = (claim: string, found: string): ContentTypeCheck => ({
  field: 'contentType',
  reason: `is ${claim}, but the data is ${found}`,
});

/** Returns the kind of a media type. Audio and video are one kind, because they have container formats in common. */
function kindOf(type: string): string {
  const [kind = ''] = type.split('/', 1);
  return kind === 'audio' || kind === 'video' || type === 'application/ogg' ? 'media' : kind;
}

/**
 * Returns whether the content is text. Text begins with a byte order mark of UTF-16, or contains no control characters
 * except whitespace and escape.
 */
function isText(content: Buffer): boolean {
  const [first, second] = content;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return !content.subarray(2).includes(Buffer.alloc(4));
  for (let index = 0; index < content.length; index += 1) {
    const byte = content[index] as number;
    if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) return false;
  }
  return true;
}

/** Returns whether the text begins with `#!`, possibly after a byte order mark of UTF-8. */
const isScript = (content: Buffer): boolean => /^(\u00ef\u00bb\u00bf)?#!/.test(content.toString('latin1', 0, 5));

/** Returns whether the content is a program for Windows, Linux, macOS, Java or Android, or a Windows shortcut. */
function isProgram(content: Buffer): boolean {
  if (content.subarray(0, 2).equals(Buffer.from('MZ')) || content.subarray(0, 2).equals(Buffer.from('#!'))) return true;
  return MAGICS.some((magic) => content.subarray(0, magic.length).equals(magic));
}
