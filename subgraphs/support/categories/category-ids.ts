/** Ids of the ticket categories. The specialization of an agent is one of these ids. */
export const CATEGORY_IDS = ['general', 'connectivity', 'voice', 'cloud', 'security', 'ai', 'billing', 'account'] as const;
export type CategoryId = (typeof CATEGORY_IDS)[number];
