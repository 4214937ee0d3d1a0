import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: a second integration with the same target would post everything twice. */
export class IntegrationExists extends PlatformError {
  constructor(target: string, field: string) {
    super('DUPLICATE_RESOURCE', `An integration with ${target} already exists. Update that one instead.`, { field });
  }
}
