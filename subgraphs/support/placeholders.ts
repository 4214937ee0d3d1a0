const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Returns the distinct placeholder names in a text, such as `ticket.number` for `{{ticket.number}}`. */
export const placeholdersIn = (text: string): string[] => [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()))];

/**
 * Replaces placeholders by their values. Placeholders inside values are not replaced. A placeholder without a value is
 * not replaced.
 */
export const fill = (text: string, textFor: (name: string) => string | undefined): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => textFor(name.trim()) ?? whole);
