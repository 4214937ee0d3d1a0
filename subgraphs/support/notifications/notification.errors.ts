import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 429: the organization has told as many people within an hour as its plan allows. */
export class NotificationLimitReached extends PlatformError {
  constructor(limit: number, used: number) {
    super('RATE_LIMIT_EXCEEDED', `The plan allows ${limit} recipients of notifications within an hour. Try again later.`, {
      window: 'notifications',
      limit,
      remaining: Math.max(0, limit - used),
      current_usage: used,
    });
  }
}
