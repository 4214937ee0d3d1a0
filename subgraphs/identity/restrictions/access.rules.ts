import type { ClientInfo } from '../../../kernel/request.ts';
import { IpNotAllowed } from '../authentication.errors.ts';
import type { CountryLocator } from './country-locator.ts';
import { type IpRange, isWithin, parseIpRange } from './ip-range.ts';
import { AccessRestricted } from './restriction.errors.ts';
import { isWithinWindows, type TimeWindow } from './time-window.ts';

/** Restrictions on the use of credentials. An empty list restricts nothing. */
export interface Restricting {
  ipWhitelist: readonly string[];
  timeWindows: readonly TimeWindow[];
  countries: readonly string[];
}

/** The caller's IP address, and country if a proxy states it. */
export type RequestOrigin = Pick<ClientInfo, 'ip' | 'country'>;

export type Violation = 'ipWhitelist' | 'timeWindows' | 'countries';

/** Restrictions on the use of credentials, parsed once and checked with every request (specification 5.1). */
export class AccessRules {
  readonly #ranges: readonly IpRange[];

  private constructor(
    private readonly rules: Restricting,
    private readonly locator: CountryLocator,
  ) {
    this.#ranges = rules.ipWhitelist.map(parseIpRange).filter((range) => range !== undefined);
  }

  /** Returns the parsed rules. Undefined if they restrict nothing. */
  static of(rules: Restricting, locator: CountryLocator): AccessRules | undefined {
    const isFree = rules.ipWhitelist.length + rules.timeWindows.length + rules.countries.length === 0;
    return isFree ? undefined : new AccessRules(rules, locator);
  }

  /** Checks a request of `caller`. @throws IpNotAllowed, AccessRestricted (403) */
  check(caller: RequestOrigin, now: Date): void {
    const violation = this.violationBy(caller, now);
    if (violation === 'ipWhitelist') throw new IpNotAllowed(caller.ip);
    if (violation) throw new AccessRestricted(violation === 'timeWindows' ? 'time' : 'country');
  }

  violationBy(caller: RequestOrigin, now: Date): Violation | undefined {
    const { ipWhitelist, timeWindows, countries } = this.rules;
    if (ipWhitelist.length > 0 && !isWithin(caller.ip, this.#ranges)) return 'ipWhitelist';
    if (timeWindows.length > 0 && !isWithinWindows(now, timeWindows)) return 'timeWindows';
    if (countries.length === 0) return undefined;
    // an unknown country is never allowed
    const country = this.locator.countryOf(caller);
    return country && countries.includes(country) ? undefined : 'countries';
  }
}
