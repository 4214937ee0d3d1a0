import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: another integration has the same target. With two integrations, everything would be posted twice. */
export class IntegrationExists extends PlatformError {
  constructor(target: string, field: string) {
    super('DUPLICATE_RESOURCE', `An integration with ${target} already exists. Update that one instead.`, { field });
  }
}
