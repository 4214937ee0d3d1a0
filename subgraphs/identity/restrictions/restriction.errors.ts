import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';

/** 403. Says which kind of restriction it was, and not what would be allowed: whoever holds the credentials alone is not told. */
export class AccessRestricted extends PlatformError {
  constructor(readonly reason: 'time' | 'country') {
    super('ACCESS_RESTRICTED', MESSAGES[reason], { restriction: reason });
  }
}

const MESSAGES = {
  time: 'These credentials may not be used at this time. Ask an administrator of the organization which hours are allowed.',
  country: 'These credentials may not be used from this country. Ask an administrator of the organization which ones are allowed.',
};

/** 400 for countries where nothing says in which one a caller is. */
export class CountriesUnknown extends InvalidParameters {
  constructor(field: string) {
    super([
      {
        field,
        reason:
          'cannot be restricted: this platform does not know the country of callers. Its operator sets COUNTRY_HEADER or GEOIP_DATABASE',
      },
    ]);
  }
}

/** 400 for restrictions that would keep out who sets them. */
export class WouldLockOut extends InvalidParameters {
  constructor(field: string) {
    super([{ field, reason: 'would refuse this very request: who restricts access must be within what is allowed' }]);
  }
}
