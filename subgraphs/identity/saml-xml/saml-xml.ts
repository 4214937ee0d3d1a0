// node-saml verifies signatures with this parser; another parser could read a different document from the verified text
import { parseDomFromString } from '@node-saml/node-saml/lib/xml.js';

/** The properties of a DOM node that this module uses. The project's TypeScript configuration does not include DOM types. */
interface XmlNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly childNodes: ArrayLike<XmlNode>;
}

export interface XmlAttribute {
  readonly name: string;
  readonly localName: string;
  readonly value: string;
}

export interface XmlElement extends XmlNode {
  readonly tagName: string;
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly parentNode: XmlNode | null;
  readonly attributes: ArrayLike<XmlAttribute>;
  getAttribute(name: string): string;
  hasAttribute(name: string): boolean;
}

/** Thrown if a text is not XML that the platform accepts. The message completes a sentence that begins with "It". */
export class MalformedXml extends Error {}

const ELEMENT = 1;
const TEXT = 3;
const MAX_DEPTH = 40;
/** Maximum number of elements. Canonicalization takes time for each element and for each of its namespaces. */
const MAX_ELEMENTS = 2000;
const MAX_ATTRIBUTES = 8000;
const MAX_ATTRIBUTES_OF_ONE = 50;
/**
 * Maximum number of distinct namespaces. Repeated declarations count once, because identity providers may declare the
 * same two namespaces on a thousand elements.
 */
const MAX_NAMESPACES = 50;
const DECLARATION = /^\ufeff?<\?xml version=(["'])1\.0\1(\s+encoding=(["'])utf-8\3)?(\s+standalone=(["'])(yes|no)\5)?\s*\?>/i;
const COMMENT = /<!--(?:(?!--)[\s\S])*-->/g;
const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const ATTRIBUTE = `\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`;
const ATTRIBUTES = new RegExp(ATTRIBUTE.replace(NAME, `(?<name>${NAME})`), 'g');
const TAG = new RegExp(`<(?:/(?<close>${NAME})\\s*|(?<open>${NAME})(?:${ATTRIBUTE})*\\s*(?<empty>/?))>`, 'y');
const REFERENCE = /&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/i;

/**
 * Parses untrusted XML. Document types, entities, CDATA sections and processing instructions are refused before
 * parsing: SAML does not need them, and attacks use them. `comments` states whether comments are refused or dropped,
 * since a comment would split a text value.
 * @throws MalformedXml
 */
export async function parseXml(given: string, { comments }: { comments: 'refuse' | 'drop' } = { comments: 'refuse' }): Promise<XmlElement> {
  const text = (comments === 'drop' ? given.replace(COMMENT, '') : given).replace(DECLARATION, '');
  if (text.includes('<!') || text.includes('<?')) throw new MalformedXml('contains a document type, comment, CDATA section or instruction');
  if (REFERENCE.test(text) || text.includes('\u0000')) throw new MalformedXml('contains a reference to an entity, or a null character');
  checkTags(text);
  const document = (await parseDomFromString(text).catch(() => undefined)) as { childNodes: ArrayLike<XmlNode> } | undefined;
  if (!document) throw new MalformedXml('is not well-formed XML');
  const [root, ...more] = Array.from(document.childNodes).filter(({ nodeType, nodeValue }) => nodeType !== TEXT || nodeValue?.trim());
  if (!isElement(root) || more.length > 0) throw new MalformedXml('must have one root element');
  if (elementsIn(root).some(({ tagName, namespaceURI }) => tagName.includes(':') && !namespaceURI))
    throw new MalformedXml('has a prefix without a namespace');
  return root;
}

/**
 * Refuses XML that is not well-formed. The parser would repair the XML, and other parsers could then read a different
 * document.
 */
function checkTags(text: string): void {
  const open: string[] = [];
  const attributes = new AttributeCount();
  let elements = 0;
  if (!/^\s*</.test(text) || !/>\s*$/.test(text)) throw new MalformedXml('must have one root element');
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    TAG.lastIndex = at;
    const found = TAG.exec(text);
    if (!found?.groups) throw new MalformedXml('is not well-formed XML');
    const { close, open: opened = '', empty } = found.groups;
    if (close !== undefined && open.pop() !== close) throw new MalformedXml('is not well-formed XML');
    if (close === undefined && !empty) open.push(opened);
    if (close === undefined) {
      elements += 1;
      attributes.add(found[0]);
    }
    if (elements > MAX_ELEMENTS) throw new MalformedXml(`contains more than ${MAX_ELEMENTS} elements`);
    if (open.length > MAX_DEPTH) throw new MalformedXml('is nested too deeply');
    at = TAG.lastIndex;
  }
  if (open.length > 0) throw new MalformedXml('is not well-formed XML');
}

/** Counts the attributes and namespaces of a document, tag by tag. */
class AttributeCount {
  #all = 0;
  readonly #namespaces = new Set<string>();

  /** Counts the attributes of a start tag. @throws MalformedXml if a count exceeds its maximum */
  add(tag: string): void {
    let own = 0;
    for (const [text, name = ''] of tag.matchAll(ATTRIBUTES)) {
      own += 1;
      if (name === 'xmlns' || name.startsWith('xmlns:')) this.#namespaces.add(text.trim());
      if (own > MAX_ATTRIBUTES_OF_ONE) throw new MalformedXml(`has an element with more than ${MAX_ATTRIBUTES_OF_ONE} attributes`);
    }
    this.#all += own;
    if (this.#all > MAX_ATTRIBUTES) throw new MalformedXml(`contains more than ${MAX_ATTRIBUTES} attributes`);
    if (this.#namespaces.size > MAX_NAMESPACES) throw new MalformedXml(`declares more than ${MAX_NAMESPACES} namespaces`);
  }
}

export const isElement = (node: XmlNode | undefined): node is XmlElement => node?.nodeType === ELEMENT;
export const childrenOf = (element: XmlNode): XmlElement[] => Array.from(element.childNodes).filter(isElement);
export const isNamed = (element: XmlElement, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name;
export const childrenNamed = (element: XmlElement, namespace: string, name: string): XmlElement[] =>
  childrenOf(element).filter((child) => isNamed(child, namespace, name));

/** Returns the only child with a name. @throws MalformedXml if no child or several children have the name */
export function onlyChild(element: XmlElement, namespace: string, name: string): XmlElement {
  const [child, ...more] = childrenNamed(element, namespace, name);
  if (!child || more.length > 0) throw new MalformedXml(`must have one ${name} in ${element.localName}`);
  return child;
}

/** Returns an element and all its descendants. */
export const elementsIn = (root: XmlElement): XmlElement[] => [root, ...childrenOf(root).flatMap(elementsIn)];

/** Returns the text of an element. @throws MalformedXml if the element contains anything but text */
export function textOf(element: XmlElement): string {
  const nodes = Array.from(element.childNodes);
  if (nodes.some(({ nodeType }) => nodeType !== TEXT)) throw new MalformedXml(`must contain only text in ${element.localName}`);
  return nodes
    .map(({ nodeValue }) => nodeValue ?? '')
    .join('')
    .trim();
}

/** Returns the value of an attribute. Returns undefined if the attribute is absent or empty. */
export const attributeOf = (element: XmlElement, name: string): string | undefined => element.getAttribute(name) || undefined;
