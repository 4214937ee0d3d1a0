import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import type { SamlDomainClaim } from './saml-domain-claim.entity.ts';

/** A claim that nobody has proven for so long is looked at once a week. */
const GIVEN_UP_MS = 30 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

type Checked = Pick<SamlDomainClaim, 'createdAt' | 'provenAt' | 'failingSince' | 'graceUntil' | 'worksUntil'>;

/**
 * When DNS is asked next: daily about what is proven, hourly while a record is missing or DNS did not answer, and about what was
 * never proven less and less often: claims that nobody cares about must not delay those that somebody waits for.
 */
export function nextCheck({ createdAt, provenAt, failingSince, graceUntil, worksUntil }: Checked, now: Date): Date {
  const age = now.getTime() - createdAt.getTime();
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  // what ends at an instant is looked at then
  const notAfter = (at: Date): Date => (worksUntil && worksUntil > now && worksUntil < at ? worksUntil : at);
  if (failingSince || graceUntil) return notAfter(after(HOUR_MS));
  if (provenAt) return after(DAY_MS);
  return age > GIVEN_UP_MS ? after(WEEK_MS) : after(Math.min(Math.max(age / 2, MINUTE_MS), DAY_MS));
}
