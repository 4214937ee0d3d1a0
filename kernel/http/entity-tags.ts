import { hash } from 'node:crypto';

/** The supported content encodings of responses, in order of preference. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** Returns the strong entity tag (RFC 9110, 8.8.3) of a representation. */
export const entityTag = (representation: string | Buffer): string => `"${hash('sha256', representation, 'base64url').slice(0, 27)}"`;

/**
 * Returns the entity tag of a representation in a content encoding. Strong tags of two encodings must differ, because
 * the bytes differ.
 */
export const encodedTag = (tag: string, encoding: Encoding): string => `${tag.slice(0, -1)}-${encoding}"`;

/**
 * Returns the tag in If-None-Match that matches a representation in any encoding; undefined if no tag matches. The
 * comparison is weak: a tag that a proxy made weak still matches (RFC 9110, 13.1.2).
 */
export function heldTag(header: string | undefined, tag: string): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return tag;
  return tagsOf(header)
    .map((sent) => (sent.startsWith('W/') ? sent.slice(2) : sent))
    .find((sent) => isSame(sent, tag));
}

/**
 * Returns true if a tag in the header If-Match is the tag of the representation in any encoding. The comparison is
 * strong: a weak tag never matches (RFC 9110, 13.1.1).
 */
export const matchesStrongly = (header: string, tag: string): boolean => tagsOf(header).some((sent) => isSame(sent, tag));

const isSame = (sent: string, tag: string): boolean => sent === tag || encodings.some((encoding) => sent === encodedTag(tag, encoding));

const tagsOf = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];
