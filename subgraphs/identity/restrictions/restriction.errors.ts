import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 403: a restriction forbids the request. The error names the kind of restriction, but not the allowed values, because
 * the credentials may be stolen.
 */
export class AccessRestricted extends PlatformError {
  constructor(readonly reason: 'time' | 'country') {
    super('ACCESS_RESTRICTED', MESSAGES[reason], { restriction: reason });
  }
}

const MESSAGES = {
  time: 'These credentials may not be used at this time. Ask an administrator of the organization which hours are allowed.',
  country: 'These credentials may not be used from this country. Ask an administrator of the organization which countries are allowed.',
};

/** 400: `countries` cannot be set, because the platform cannot determine the country of a caller. */
export class CountriesUnknown extends InvalidParameters {
  constructor(field: string) {
    super([
      {
        field,
        reason:
          'cannot be restricted, since this platform does not know the country of callers: its operator must set COUNTRY_HEADER or GEOIP_DATABASE',
      },
    ]);
  }
}

/** 400: the restrictions would lock out the caller who sets them. */
export class WouldLockOut extends InvalidParameters {
  constructor(field: string) {
    super([{ field, reason: 'would lock you out: this request itself must be allowed' }]);
  }
}
