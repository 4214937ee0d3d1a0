import { hash } from 'node:crypto';

/** The encodings that responses are compressed with, the preferred one first. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** A strong entity tag (RFC 9110, 8.8.3) over a representation. */
export const entityTag = (representation: string | Buffer): string => `"${hash('sha256', representation, 'base64url').slice(0, 27)}"`;

/** The tag of the same representation in an encoding: other bytes, so another strong tag. */
export const encodedTag = (tag: string, encoding: Encoding): string => `${tag.slice(0, -1)}-${encoding}"`;

/**
 * The tag of If-None-Match under which the caller holds this representation, in whatever encoding; undefined where it holds none. It
 * compares weakly: what a proxy made weak still matches (RFC 9110, 13.1.2).
 */
export function heldTag(header: string | undefined, tag: string): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return tag;
  return tagsOf(header)
    .map((sent) => (sent.startsWith('W/') ? sent.slice(2) : sent))
    .find((sent) => isSame(sent, tag));
}

/** If-Match compares strongly: a weak tag never matches (RFC 9110, 13.1.1). That of any encoding does. */
export const matchesStrongly = (header: string, tag: string): boolean => tagsOf(header).some((sent) => isSame(sent, tag));

const isSame = (sent: string, tag: string): boolean => sent === tag || encodings.some((encoding) => sent === encodedTag(tag, encoding));

const tagsOf = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];
