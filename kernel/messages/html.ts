const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Safe HTML for a page or mail. Only the template tag `html` creates it. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | readonly Markup[] | string | number | null | undefined | false;

/**
 * Template tag that creates HTML. Inserted values are escaped, except `Markup`. Null, undefined and false are inserted
 * as empty texts.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.map((text, index) => (index === 0 ? text : rendered(parts[index - 1]) + text)).join(''));
}

function rendered(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(({ text }: Markup) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
