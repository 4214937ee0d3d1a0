import { fileTypeFromBuffer } from 'file-type';

/** What a content was found to be: the type it is kept under, or why it is not taken. */
export type Verdict = { contentType: string } | { field: 'contentType' | 'data'; reason: string };

const PROGRAM = 'is a program or script, which is not taken';
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
/** Forms that hold others: who says what is in one is believed. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-cfb',
  'application/xml',
  'application/gzip',
  'application/ogg',
]);

/** The class id of Windows Installer, by which an .msi is told from the other compound files. */
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
 * Judges a content by itself and by what its sender says of it. Programs and scripts are refused. Where both are of one kind the
 * content wins; where they are not, one of them is wrong and nobody should open it: refused. What cannot be told is kept as
 * `application/octet-stream`, and text as the text that its sender says it is.
 */
export async function judge(content: Buffer, claimed: string): Promise<Verdict> {
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

/** Forms that begin with a word and may be text all through. */
const WORDED: ReadonlySet<string> = new Set(['application/pdf', 'application/postscript', 'application/rtf', 'application/xml']);

/**
 * What is text may be any text, or what programs keep as text (JSON, SVG, mails): its sender is believed. It is no photograph,
 * sound or font. By its first letters alone nothing is recognized: `BM` begins a bitmap, and this sentence with another B.
 */
function judgeText(claim: string, found: string | undefined): Verdict {
  if (claim === found) return { contentType: claim };
  if (claim === UNKNOWN) return { contentType: found && WORDED.has(found) ? found : 'text/plain' };
  const isOther = claim !== 'image/svg+xml' && ['image', 'media', 'font'].includes(kindOf(claim));
  return isOther || claim === 'application/pdf' ? mismatch(claim, 'text') : { contentType: claim };
}

/** A type whose content would have been recognized is a wrong claim. */
function judgeUnknown(claim: string): Verdict {
  if (kindOf(claim) === 'text') return mismatch(claim, 'no text');
  return ['image', 'font'].includes(kindOf(claim)) || claim === 'application/pdf'
    ? mismatch(claim, 'something else')
    : { contentType: UNKNOWN };
}

const mismatch = (claim: string, found: string): Verdict => ({ field: 'contentType', reason: `says ${claim}, and the data is ${found}` });

/** Sound and pictures that move share their containers. */
function kindOf(type: string): string {
  const [kind = ''] = type.split('/', 1);
  return kind === 'audio' || kind === 'video' || type === 'application/ogg' ? 'media' : kind;
}

/** Text holds no control characters but those of layout; what begins with the mark of UTF-16 is text by that. */
function isText(content: Buffer): boolean {
  const [first, second] = content;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return !content.subarray(2).includes(Buffer.alloc(4));
  for (let index = 0; index < content.length; index += 1) {
    const byte = content[index] as number;
    if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) return false;
  }
  return true;
}

/** `#!`, also behind a mark of UTF-8. */
const isScript = (content: Buffer): boolean => /^(\u00ef\u00bb\u00bf)?#!/.test(content.toString('latin1', 0, 5));

/** Windows, Linux, macOS, Java, Android, shortcuts of Windows. */
function isProgram(content: Buffer): boolean {
  if (content.subarray(0, 2).equals(Buffer.from('MZ')) || content.subarray(0, 2).equals(Buffer.from('#!'))) return true;
  return MAGICS.some((magic) => content.subarray(0, magic.length).equals(magic));
}
