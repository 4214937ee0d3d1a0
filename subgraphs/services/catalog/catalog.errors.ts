import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: a feature needs other features. `details.requires` lists the missing ones. */
export class FeatureNeedsOthers extends PlatformError {
  constructor(feature: string, requires: readonly string[]) {
    super('SERVICE_CONFLICT', `The feature ${feature} needs ${requires.join(', ')}. Switch on all of them in one request.`, {
      resource: 'service',
      feature,
      requires,
    });
  }
}
