import { PlatformError } from '../errors/errors.ts';

/** 409: a report cannot be deleted while it is being generated. */
export class ReportGenerating extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'The report is being generated. Wait until it is ready, then delete it.', { from: 'generating', allowed: [] });
  }
}
