import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { html, Markup } from '../kernel/messages/html.ts';
import { BRAND, documentPage } from '../kernel/pages/layout.ts';
import { GUIDE, INDEX } from './guide.ts';

export const SOURCE = 'docs/guide';
/**
 * The index page. The lists on this page, in their order, are the navigation of the guide. GitHub shows this page for
 * the folder.
 */
const INDEX_FILE = `${SOURCE}/README.md`;
/** Pages of docs/ that the guide links to. They are served together with the guide. */
export const REFERENCES = ['docs/events.md', 'docs/permissions.md', 'docs/saml.md'];

interface Heading {
  title: string;
  pages: { file: string; title: string }[];
}

/** Renders the Markdown files of the guide to a folder, one HTML page each. Part of `npm run build`. */
export function writeGuide(folder: string): void {
  const files = [...readdirSync(SOURCE).map((name) => `${SOURCE}/${name}`), ...REFERENCES].filter((file) => file.endsWith('.md'));
  const headings = navigationIn(readFileSync(INDEX_FILE, 'utf8'));
  const listed = headings.flatMap(({ pages }) => pages.map(({ file }) => file));
  const missing = files.filter((file) => file !== INDEX_FILE && !listed.includes(file));
  if (missing.length > 0) throw new Error(`${INDEX_FILE} does not list ${missing.join(', ')}.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, `${nameOf(file)}.html`), rendered(file, files, headings));
}

const nameOf = (file: string): string => (file === INDEX_FILE ? INDEX : basename(file, '.md'));
const addressOf = (file: string): string => (file === INDEX_FILE ? GUIDE : `${GUIDE}/${nameOf(file)}`);

/**
 * Returns the headings of the index page. Each heading has the list of its pages. Headings without a list are left out.
 */
function navigationIn(text: string): Heading[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n', 1)[0] ?? '',
      pages: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(([, title = '', link = '']) => ({
        title,
        file: join(SOURCE, link),
      })),
    }))
    .filter(({ pages }) => pages.length > 0);
}

function rendered(file: string, files: readonly string[], headings: readonly Heading[]): string {
  const text = readFileSync(file, 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1] ?? nameOf(file);
  const linkTo = (href: string): string => addressIn(file, files, href);
  const content = new Markup(renderer(linkTo).parse(text, { async: false }));
  return documentPage({
    title,
    bodyClass: 'guide',
    body: html`<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${GUIDE}">${BRAND}</a>
<nav aria-label="Documentation"><a href="${GUIDE}">Guide</a><a href="/docs">API reference</a><a href="/graphql">GraphiQL</a></nav>
</header>
<div class="columns">
<nav aria-label="Guide">${headings.map((heading) => section(heading, file))}</nav>
<main id="content">${content}</main>
</div>`,
  });
}

const section = ({ title, pages }: Heading, current: string): Markup => html`
<p>${title}</p>
<ul>${pages.map((page) => html`<li><a href="${addressOf(page.file)}"${page.file === current && new Markup(' aria-current="page"')}>${page.title}</a></li>`)}</ul>`;

/**
 * Converts a link between files to a link between pages.
 * @throws Error if the linked file is not a page of the guide, because the link would work only on GitHub
 */
function addressIn(file: string, files: readonly string[], href: string): string {
  if (/^(?:https?:|\/|#)/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = relative('', join(dirname(file), path));
  if (!files.includes(target)) throw new Error(`${file} links to ${href}, which is not a page of the guide.`);
  return `${addressOf(target)}${fragment ? `#${fragment}` : ''}`;
}

/** Renders Markdown as GitHub does, with the same heading ids. Users can scroll wide content with the keyboard. */
function renderer(linkTo: (href: string) => string): Marked {
  const marked = new Marked();
  marked.use({
    walkTokens(token) {
      if (token.type === 'link') token.href = linkTo(token.href);
    },
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text, lang }: Tokens.Code) {
        return html`<pre tabindex="0"${lang && html` data-language="${lang}"`}><code>${text}</code></pre>
`.text;
      },
    },
    hooks: {
      postprocess: (markup: string) =>
        markup.replaceAll('<table>', '<div class="table" tabindex="0"><table>').replaceAll('</table>', '</table></div>'),
    },
  });
  return marked;
}

/** Returns the id that GitHub gives a heading. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
