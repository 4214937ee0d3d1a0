import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: the challenge is already verified, has expired, or all five attempts to enter its code were used. */
export class ChallengeEnded extends PlatformError {
  constructor(state: 'verified' | 'expired' | 'failed') {
    super('INVALID_STATE', `This challenge is ${state}. Repeat the refused request to get a new one.`, { from: state, allowed: [] });
  }
}

/** 401: the code is wrong or was used before. The error does not state which of these is the reason. */
export class CodeRefused extends PlatformError {
  constructor(attemptsLeft: number) {
    const next = attemptsLeft > 0 ? `Attempts left: ${attemptsLeft}.` : 'The challenge has ended. Repeat the request to get a new one.';
    super('INVALID_CREDENTIALS', `The code is wrong. ${next}`, { attempts_left: attemptsLeft });
  }
}

/** 429: too many codes were sent or tried within an hour. */
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
