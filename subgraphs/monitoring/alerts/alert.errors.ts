import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: the organization has the maximum number of alerts that its plan allows. */
export class TooManyAlerts extends PlatformError {
  constructor(limit: number) {
    super('INVALID_STATE', `Your plan allows at most ${limit} alerts. Delete an alert first.`, { limit });
  }
}

/** 409: too many test notifications were requested. The number is limited, because each of them sends e-mails. */
export class TooManyTests extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'An alert can be tested once in a minute, and 20 alerts of an organization in an hour. Try again later.');
  }
}

/** 409: a test notification cannot be sent, because the alert has no recipients. */
export class NobodyToNotify extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'The alert has no e-mail addresses. Set `notify` first.');
  }
}
