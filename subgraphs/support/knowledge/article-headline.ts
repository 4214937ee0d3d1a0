/**
 * Markers around the found words in a headline, which is an excerpt of an article in a search result. The markers are
 * private-use characters of Unicode. `headlineText` removes these characters from the text of the article, before
 * `ts_headline` adds the markers. `headlineHtml` escapes the text before it replaces the markers by tags.
 */
const START = '\uE000';
const STOP = '\uE001';

/** Options of PostgreSQL's function `ts_headline`. */
export const HEADLINE_OPTIONS = `StartSel=${START}, StopSel=${STOP}, MaxFragments=2, MinWords=12, MaxWords=32, FragmentDelimiter=" … "`;

/**
 * Returns SQL for the text of an article from which `ts_headline` takes the excerpt: the summary and the beginning of
 * the body, without Markdown syntax.
 */
export const headlineText = (alias: string): string => {
  const text = `${alias}."summary" || E'\\n' || left(${alias}."body", 20000)`;
  const unlinked = `regexp_replace(${text}, '\\[([^]]*)\\]\\([^)]*\\)', '\\1', 'g')`;
  const unmarked = `regexp_replace(${unlinked}, '(^|\\n)\\s*(#{1,6} |> |[-*] |\\d+\\. |\`\`\`\\w*)|[\`*|]', '\\1', 'g')`;
  return `translate(${unmarked}, '${START}${STOP}', '')`;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** Converts a headline to HTML. `<mark>` is the only markup in it. */
export const headlineHtml = (headline: string): string =>
  escaped(headline.replace(/\s+/g, ' ').trim()).replaceAll(START, '<mark>').replaceAll(STOP, '</mark>');
