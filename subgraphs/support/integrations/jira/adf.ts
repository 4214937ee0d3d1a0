/** A node of the Atlassian Document Format, which Jira's API v3 uses for texts. */
export interface AdfNode {
  type: string;
  text?: string;
  attrs?: Record<string, unknown>;
  marks?: readonly { type: string; attrs?: Record<string, unknown> }[];
  content?: readonly AdfNode[];
}
export interface AdfDocument extends AdfNode {
  type: 'doc';
  version: 1;
  content: readonly AdfNode[];
}

/**
 * Maximum text length in characters. It is lower than the limit that Jira has for a description or comment, because
 * Jira also counts the parts of the document that are not text.
 */
const TEXT_LENGTH = 30_000;
const MAX_DEPTH = 50;

export const text = (words: string, marks?: AdfNode['marks']): AdfNode => ({ type: 'text', text: words, ...(marks && { marks }) });
export const bold = (words: string): AdfNode => text(words, [{ type: 'strong' }]);
export const link = (words: string, href: string): AdfNode => text(words, [{ type: 'link', attrs: { href } }]);
export const paragraph = (...content: AdfNode[]): AdfNode => ({ type: 'paragraph', content });
export const documentOf = (...content: AdfNode[]): AdfDocument => ({ type: 'doc', version: 1, content });

/**
 * Converts plain text to paragraphs, separated at empty lines. Text that is too long is shortened. Markup in the text
 * is not interpreted. The result has no empty text nodes, because ADF does not allow them.
 */
export function paragraphsOf(plain: string): AdfNode[] {
  const kept = [...plain.replaceAll('\r\n', '\n')];
  const shortened = kept.length > TEXT_LENGTH ? `${kept.slice(0, TEXT_LENGTH).join('')}…` : kept.join('');
  return shortened
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) =>
      paragraph(
        ...part.split('\n').flatMap((line, index) => [...(index > 0 ? [{ type: 'hardBreak' }] : []), ...(line === '' ? [] : [text(line)])]),
      ),
    );
}

/**
 * Converts an ADF document to plain text. A media node becomes a placeholder, and an unknown node is replaced by the
 * text in it.
 */
export function textOfAdf(node: unknown): string {
  return blockText(node, 0)
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const BLOCKS = [
  'paragraph',
  'heading',
  'codeBlock',
  'blockquote',
  'panel',
  'rule',
  'table',
  'bulletList',
  'orderedList',
  'taskList',
  'expand',
  'mediaSingle',
  'mediaGroup',
];
const NAMED: ReadonlyMap<string, string> = new Map([
  ['media', '[attachment]'],
  ['mediaInline', '[attachment]'],
  ['rule', '---'],
]);

function blockText(given: unknown, depth: number): string {
  if (typeof given !== 'object' || given === null || depth > MAX_DEPTH) return '';
  const { type, text: words, attrs, marks, content } = given as AdfNode;
  const inner = (): string => (Array.isArray(content) ? content.map((child) => blockText(child, depth + 1)).join('') : '');
  if (type === 'text') return linked(String(words ?? ''), marks);
  if (type === 'hardBreak') return '\n';
  if (type === 'mention' || type === 'status') return String(attrs?.text ?? '');
  if (type === 'emoji') return String(attrs?.text ?? attrs?.shortName ?? '');
  if (type === 'inlineCard' || type === 'blockCard') return String(attrs?.url ?? '');
  if (type === 'date') return dateOf(attrs?.timestamp);
  if (NAMED.has(type)) return `${NAMED.get(type)}\n`;
  if (type === 'listItem' || type === 'taskItem') return `- ${inner().trim()}\n`;
  if (type === 'tableRow') return `${inner().trim()}\n`;
  if (type === 'tableCell' || type === 'tableHeader') return `${inner().trim()} | `;
  return BLOCKS.includes(type) ? `${inner()}\n\n` : inner();
}

function linked(words: string, marks: AdfNode['marks']): string {
  const href = Array.isArray(marks) ? marks.find((mark) => mark?.type === 'link')?.attrs?.href : undefined;
  return typeof href === 'string' && href !== words ? `${words} (${href})` : words;
}

function dateOf(timestamp: unknown): string {
  const date = new Date(Number(timestamp));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}
