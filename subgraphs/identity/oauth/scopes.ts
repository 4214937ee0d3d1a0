import {
  ACTIONS,
  type Action,
  AREAS,
  type Area,
  type Grant,
  grantOf,
  isGrant,
  type Principal,
  scopeOf,
} from '../../../kernel/access/principal.ts';

/**
 * All permissions that clients can request as scopes. They are the permissions for each action in an area, for each whole area, and for
 * everything.
 */
export const ALL_GRANTS: readonly Grant[] = [
  ...AREAS.flatMap((area) => [...ACTIONS, '*' as const].map((action) => `${area}:${action}` as Grant)),
  '*:*',
];

export const scopesIn = (text: string | undefined): string[] => [...new Set((text ?? '').split(' ').filter(Boolean))];

/** Returns the permissions that the scopes stand for. Leaves out scopes that match no permission. */
export const grantsIn = (scopes: readonly string[]): Grant[] => scopes.map(grantOf).filter(isGrant);

/** Returns all scopes that a principal may grant. The result is text, because the provider compares scopes as text. */
export const scopesWithin = (holder: Principal): string[] => ALL_GRANTS.filter((grant) => holder.mayGrant(grant)).map(scopeOf);

const AREA_WORDS: Readonly<Record<Area, string>> = {
  accounts: 'accounts and their users',
  credentials: 'API keys, applications and sessions',
  services: 'services: connectivity, voice, cloud, security and AI',
  billing: 'invoices, payments and usage',
  support: 'support tickets',
  monitoring: 'alerts, incidents and maintenance windows',
  analytics: 'reports and analytics',
  webhooks: 'webhooks and their events',
};
const ACTION_WORDS: Readonly<Record<Action | '*', string>> = {
  read: 'See',
  create: 'Create',
  write: 'Create and change',
  admin: 'Do everything with',
  '*': 'Do everything with',
};

/** Describes a scope in words, for the consent page. */
export function inWords(grant: Grant): string {
  if (grant === '*:*') return 'Do everything that you may do';
  const [area, action] = grant.split(':') as [Area, Action | '*'];
  return `${ACTION_WORDS[action]} ${AREA_WORDS[area]}`;
}
