import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: two integrations with one target would tell everything twice. */
export class IntegrationExists extends PlatformError {
  constructor(target: string, field: string) {
    super('DUPLICATE_RESOURCE', `There is an integration with ${target} already. Change that one.`, { field });
  }
}
