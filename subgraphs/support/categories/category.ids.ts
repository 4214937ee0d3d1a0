/** What tickets can be about; an agent's specialization is one of these. */
export const CATEGORY_IDS = ['general', 'connectivity', 'voice', 'cloud', 'security', 'ai', 'billing', 'account'] as const;
export type CategoryId = (typeof CATEGORY_IDS)[number];
