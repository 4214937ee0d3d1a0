export const NAME_LENGTH_MAX = 255;
/** Separators of paths; control characters; what turns the direction of text, so that `exe.gpj` reads as `jpg.exe`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[/\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * What systems run when it is opened: the list of mail services (Gmail's), and the shells. Of an archive nothing is unpacked, so
 * what lies in one is let through, as in any help desk.
 */
const EXECUTABLE =
  'ade adp apk app appref-ms appx appxbundle bash bat cab cgi chm cmd com command cpl crx csh deb diagcab dll dmg dylib elf ex ex_ exe fish gadget hta img ins iso isp jar jnlp jse js ksh lib lnk mde mjs cjs msc msh msi msix msixbundle msp mst nsh ocx pif pkg ps1 ps1xml ps2 psc1 psd1 psm1 reg rpm run scf scr sct sh shb shs so sys url vb vbe vbs vhd vhdx vxd ws wsc wsf wsh xbap xll zsh';
const EXECUTABLE_EXTENSIONS: ReadonlySet<string> = new Set(EXECUTABLE.split(' '));

/** For documents: what `nameProblem` lets through, apart from the names of programs. */
export const NAME_PATTERN = `^(?!\\s)[^${FORBIDDEN.source.slice(1, -1)}]*[^. ${FORBIDDEN.source.slice(1, -1)}]$`;

/** Why a text is no name of a file that is taken; undefined where it is one. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '' || name.length > NAME_LENGTH_MAX) return `must have 1 to ${NAME_LENGTH_MAX} characters`;
  if (FORBIDDEN.test(name)) return 'must be a name without a path and without control characters';
  // Windows drops these at the end, and what is left may be another kind of file
  if (/^\.{1,2}$|[. ]$/.test(name)) return 'must not end in a dot or a space';
  const [, extension = ''] = /\.([^.]+)$/.exec(name) ?? [];
  if (EXECUTABLE_EXTENSIONS.has(extension.trim().toLowerCase()))
    return `is a program or script (.${extension.toLowerCase()}), which is not taken`;
  return undefined;
}
