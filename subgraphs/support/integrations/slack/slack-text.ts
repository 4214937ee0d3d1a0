/** Maximum length of the text in a section block. */
const SECTION_LENGTH = 3000;
/** Maximum length of one value in a message, such as a comment. */
export const VALUE_LENGTH = 1500;

/** Escapes Slack's three special characters, so that text cannot become a link or mention a channel. */
export const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Returns a value as a message shows it, escaped and shortened. Undefined if there is no value. */
export const shown = (value: unknown, length = VALUE_LENGTH): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : escaped(shortened(String(value), length));

/** Truncates a text to `length`, without splitting a surrogate pair. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

/** Truncates a text to the maximum length of a section, never within an HTML entity or a link. */
export function cut(text: string): string {
  if (text.length <= SECTION_LENGTH) return text;
  const kept = text.slice(0, SECTION_LENGTH - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept.replace(/&[a-z]{0,3}$/, '').replace(/<[^<>]*$/, '')}…`;
}
