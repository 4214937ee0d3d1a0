import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: a feature requires other features that are not switched on. `details.requires` lists the missing features. */
export class FeatureNeedsOthers extends PlatformError {
  constructor(feature: string, requires: readonly string[]) {
    super('SERVICE_CONFLICT', `The feature ${feature} needs ${requires.join(', ')}. Switch on all of them in one request.`, {
      resource: 'service',
      feature,
      requires,
    });
  }
}
