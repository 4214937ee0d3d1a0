/**
 * What the database puts around the words that were found. Characters for private use, which `HEADLINE_TEXT` removes from the text
 * first, so that nobody can write them into an article; everything is escaped before they become tags.
 */
const START = '\uE000';
const STOP = '\uE001';

/** Options of `ts_headline`. */
export const HEADLINE_OPTIONS = `StartSel=${START}, StopSel=${STOP}, MaxFragments=2, MinWords=12, MaxWords=32, FragmentDelimiter=" … "`;

/** SQL: the text of an article without the marks of Markdown, to cut a headline from; long ones from their beginning. */
export const headlineText = (alias: string): string => {
  const text = `${alias}."summary" || E'\\n' || left(${alias}."body", 20000)`;
  const unlinked = `regexp_replace(${text}, '\\[([^]]*)\\]\\([^)]*\\)', '\\1', 'g')`;
  const unmarked = `regexp_replace(${unlinked}, '(^|\\n)\\s*(#{1,6} |> |[-*] |\\d+\\. |\`\`\`\\w*)|[\`*|]', '\\1', 'g')`;
  return `translate(${unmarked}, '${START}${STOP}', '')`;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** A headline of the database as HTML in which `<mark>` is the only markup. */
export const headlineHtml = (headline: string): string =>
  escaped(headline.replace(/\s+/g, ' ').trim()).replaceAll(START, '<mark>').replaceAll(STOP, '</mark>');
