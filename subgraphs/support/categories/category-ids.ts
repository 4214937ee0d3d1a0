/** Ids of the ticket categories. An agent's specialization is one of them. */
export const CATEGORY_IDS = ['general', 'connectivity', 'voice', 'cloud', 'security', 'ai', 'billing', 'account'] as const;
export type CategoryId = (typeof CATEGORY_IDS)[number];
