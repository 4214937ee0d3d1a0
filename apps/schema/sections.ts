/**
 * Replaces sections of a hand-written page with generated text. A section consists of the lines between `<!-- begin
 * NAME -->` and `<!-- end NAME -->`.
 * @throws Error if the page has no section of that name
 */
export function withSections(page: string, sections: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(sections).reduce((text, [name, lines]) => {
    const section = new RegExp(`(<!-- begin ${name} -->\n)[\\s\\S]*?(<!-- end ${name} -->)`);
    if (!section.test(text)) throw new Error(`There is no <!-- begin ${name} --> … <!-- end ${name} --> for the text that is generated.`);
    return text.replace(section, (_, begin: string, end: string) => `${begin}${lines.join('\n')}\n${end}`);
  }, page);
}
