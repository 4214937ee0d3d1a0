import { hash } from 'node:crypto';

/** A strong entity tag (RFC 9110, 8.8.3) over a representation. */
export const entityTag = (representation: string): string => `"${hash('sha256', representation, 'base64url').slice(0, 27)}"`;

/** If-None-Match compares weakly: what a proxy made weak still matches (RFC 9110, 13.1.2). */
export const matchesAny = (header: string, tag: string): boolean =>
  header.trim() === '*' || tagsOf(header).some((sent) => (sent.startsWith('W/') ? sent.slice(2) : sent) === tag);

/** If-Match compares strongly: a weak tag never matches (RFC 9110, 13.1.1). */
export const matchesStrongly = (header: string, tag: string): boolean => tagsOf(header).includes(tag);

const tagsOf = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];
