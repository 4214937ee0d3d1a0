import type { Permission } from '../../../kernel/access/principal.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: another integration has the same target. With two integrations, every event would be posted twice. */
export class IntegrationExists extends PlatformError {
  constructor(target: string, field: string) {
    super('DUPLICATE_RESOURCE', `An integration with ${target} already exists. Update that one instead.`, { field });
  }
}

/** 403: the caller may not read the events of a pattern, so the caller cannot have them sent to a channel. */
export class EventsNotReadable extends PlatformError {
  constructor(pattern: string, required: Permission) {
    super('INSUFFICIENT_PERMISSIONS', `The events ${pattern} need the permission ${required}.`, { required, pattern });
  }
}
