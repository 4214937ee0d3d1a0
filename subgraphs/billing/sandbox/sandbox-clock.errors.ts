import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: the clock of the organization is advancing, or has advanced since the request began. */
export class ClockAdvancing extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'The sandbox clock is advancing. Wait until its status is READY, and repeat the request.', {
      reason: 'advancing',
    });
  }
}

/** 404: sandbox clocks are available only in a sandbox with the test processor. */
export class NoSandbox extends PlatformError {
  constructor() {
    super('RESOURCE_NOT_FOUND', 'Only a sandbox with the test processor of payments has clocks of organizations.');
  }
}
