/** Ids of the ticket categories. The specialization of an agent is also a category id. */
export const CATEGORY_IDS = ['general', 'connectivity', 'voice', 'cloud', 'security', 'ai', 'billing', 'account'] as const;
export type CategoryId = (typeof CATEGORY_IDS)[number];
