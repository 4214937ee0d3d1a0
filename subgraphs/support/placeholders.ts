const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The names that a text has between double braces, each once: `{{ticket.number}}`. */
export const placeholdersIn = (text: string): string[] => [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()))];

/** Puts values where their names stand. What a value holds is not looked at again; a name without a value is left as it stands. */
export const fill = (text: string, textFor: (name: string) => string | undefined): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => textFor(name.trim()) ?? whole);
