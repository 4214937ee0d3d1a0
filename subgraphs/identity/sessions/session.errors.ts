import { PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 401: the e-mail address is unknown or the password is wrong. The error does not state which of these is the reason.
 */
export class LoginRefused extends PlatformError {
  constructor() {
    super('INVALID_CREDENTIALS', 'Invalid e-mail address or password.');
  }
}

/**
 * 403: the user is suspended. This error is sent only if the password is right, so that nobody else learns about the
 * suspension.
 */
export class UserSuspended extends PlatformError {
  constructor() {
    super('ACCESS_RESTRICTED', 'This user is suspended. Ask an administrator of the organization.');
  }
}

/** 429: too many login attempts. The error is the same for unknown users. */
export class TooManyAttempts extends PlatformError {
  constructor(limit: number, failures: number, resetAt: Date, now: Date) {
    const retryAfter = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
    super('RATE_LIMIT_EXCEEDED', `Too many attempts. Try again in ${retryAfter} s.`, {
      window: 'login',
      limit,
      remaining: 0,
      reset_time: resetAt.toISOString(),
      retry_after: retryAfter,
      current_usage: failures,
    });
  }
}

/** 401: the refresh token is refused. The user has to log in again. */
export class RefreshRefused extends PlatformError {
  constructor(message = 'The refresh token is not valid. Log in again.') {
    super('INVALID_CREDENTIALS', message);
  }
}

/** 409: the caller has no open session that can be revoked, for example because it is an API key or an OAuth client. */
export class NoSession extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'Only users have a session. To end an API key, delete it.', { allowed: [] });
  }
}
