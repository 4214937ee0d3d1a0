import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import type { SamlDomainClaim } from './saml-domain-claim.entity.ts';

/** A claim that is still unproven after this time is checked only once a week. */
const GIVEN_UP_MS = 30 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

type Checked = Pick<SamlDomainClaim, 'createdAt' | 'provenAt' | 'failingSince' | 'graceUntil' | 'worksUntil'>;

/**
 * Returns when to check a domain in DNS again: daily if it is proven, hourly while its TXT record is missing or DNS
 * does not respond. The older an unproven claim is, the less often it is checked, so that abandoned claims do not delay
 * new claims.
 */
export function nextCheck({ createdAt, provenAt, failingSince, graceUntil, worksUntil }: Checked, now: Date): Date {
  const age = now.getTime() - createdAt.getTime();
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  // if the domain would stop working before `at`, it is checked at the time when it would stop
  const notAfter = (at: Date): Date => (worksUntil && worksUntil > now && worksUntil < at ? worksUntil : at);
  if (failingSince || graceUntil) return notAfter(after(HOUR_MS));
  if (provenAt) return after(DAY_MS);
  return age > GIVEN_UP_MS ? after(WEEK_MS) : after(Math.min(Math.max(age / 2, MINUTE_MS), DAY_MS));
}
