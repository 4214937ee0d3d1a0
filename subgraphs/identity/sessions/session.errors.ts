import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 401. The same for an unknown address and a wrong password. */
export class LoginRefused extends PlatformError {
  constructor() {
    super('INVALID_CREDENTIALS', 'The e-mail address or the password is not right.');
  }
}

/** 403, after the right password only: nobody else learns it. */
export class UserSuspended extends PlatformError {
  constructor() {
    super('ACCESS_RESTRICTED', 'This user is suspended. Ask an administrator of the organization.');
  }
}

/** 429. The same whether or not there is such a user. */
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

/** 401. Whoever holds it has to log in again. */
export class RefreshRefused extends PlatformError {
  constructor(message = 'The refresh token is not valid. Log in again.') {
    super('INVALID_CREDENTIALS', message);
  }
}

/** 409: a key or client has no session. */
export class NoSession extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'Only a user who logged in has a session. API keys are ended by deleting them.', { allowed: [] });
  }
}
