import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: what is being made cannot be deleted under the hands of who makes it. */
export class ReportGenerating extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'The report is being generated. Delete it when it is ready.', { from: 'generating', allowed: [] });
  }
}
