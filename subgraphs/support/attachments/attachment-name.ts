export const NAME_LENGTH_MAX = 255;
/**
 * Characters that a file name must not contain: path separators, control characters, line separators, and characters that change the text
 * direction. A name that ends in `gpj.exe` could be displayed as `exe.jpg` if it contained a change of the text direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const FORBIDDEN = /[/\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * Extensions of files that an operating system executes when the user opens them: the extensions that mail services
 * such as Gmail block, and the extensions of shell scripts. Files in archives are not checked, because archives are not
 * unpacked.
 */
const EXECUTABLE =
  'ade adp apk app appref-ms appx appxbundle bash bat cab cgi chm cmd com command cpl crx csh deb diagcab dll dmg dylib elf ex ex_ exe fish gadget hta img ins iso isp jar jnlp jse js ksh lib lnk mde mjs cjs msc msh msi msix msixbundle msp mst nsh ocx pif pkg ps1 ps1xml ps2 psc1 psd1 psm1 reg rpm run scf scr sct sh shb shs so sys url vb vbe vbs vhd vhdx vxd ws wsc wsf wsh xbap xll zsh';
const EXECUTABLE_EXTENSIONS: ReadonlySet<string> = new Set(EXECUTABLE.split(' '));

/**
 * Regular expression for file names, shown in the API documents. It differs from `nameProblem` in two points: it
 * matches names with executable extensions, and it does not match names that begin with whitespace.
 */
export const NAME_PATTERN = `^(?!\\s)[^${FORBIDDEN.source.slice(1, -1)}]*[^. ${FORBIDDEN.source.slice(1, -1)}]$`;

/** Returns why a file name is rejected; undefined if it is accepted. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '' || name.length > NAME_LENGTH_MAX) return `must have 1 to ${NAME_LENGTH_MAX} characters`;
  if (FORBIDDEN.test(name)) return 'must be a name without a path and without control characters';
  // Windows removes dots and spaces at the end of a name, so that the name could then end in an executable extension
  if (/^\.{1,2}$|[. ]$/.test(name)) return 'must not end in a dot or a space';
  const [, extension = ''] = /\.([^.]+)$/.exec(name) ?? [];
  if (EXECUTABLE_EXTENSIONS.has(extension.trim().toLowerCase()))
    return `must not be the name of a program or script (.${extension.toLowerCase()})`;
  return undefined;
}
