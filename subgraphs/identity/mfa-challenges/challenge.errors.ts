import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: it was answered, it expired, or five codes were wrong. */
export class ChallengeEnded extends PlatformError {
  constructor(state: 'verified' | 'expired' | 'failed') {
    super('INVALID_STATE', `This challenge is ${state}. Repeat the request that was refused to get another.`, { from: state, allowed: [] });
  }
}

/** 401. The same for a wrong code and one that was used before. */
export class CodeRefused extends PlatformError {
  constructor(attemptsLeft: number) {
    const next = attemptsLeft > 0 ? `${attemptsLeft} more may be tried.` : 'The challenge has ended: repeat the request to get another.';
    super('INVALID_CREDENTIALS', `The code is not right. ${next}`, { attempts_left: attemptsLeft });
  }
}

/** 429 */
export class TooManyCodes extends PlatformError {
  constructor(window: 'mfa_attempts' | 'mfa_sends', limit: number, usage: number, resetAt: Date, now: Date) {
    const retryAfter = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
    const what = window === 'mfa_sends' ? 'Too many codes were sent' : 'Too many codes were tried';
    super('RATE_LIMIT_EXCEEDED', `${what}. Try again in ${retryAfter} s.`, {
      window,
      limit,
      remaining: 0,
      reset_time: resetAt.toISOString(),
      retry_after: retryAfter,
      current_usage: usage,
    });
  }
}
