import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 429: the organization has reached its plan's limit of notification recipients per hour. */
export class NotificationLimitReached extends PlatformError {
  constructor(limit: number, used: number) {
    super('RATE_LIMIT_EXCEEDED', `The plan allows ${limit} notification recipients per hour. Try again later.`, {
      window: 'notifications',
      limit,
      remaining: Math.max(0, limit - used),
      current_usage: used,
    });
  }
}
