const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Markup that is safe to put into a page or a mail as it is: made by `html` alone. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | readonly Markup[] | string | number | null | undefined | false;

/** A template of markup: what is put into it is escaped, but for markup. Null, undefined and false leave nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.map((text, index) => (index === 0 ? text : rendered(parts[index - 1]) + text)).join(''));
}

function rendered(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(({ text }: Markup) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
