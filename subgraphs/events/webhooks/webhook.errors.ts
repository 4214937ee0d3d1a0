import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: only what was stopped is resumed. */
export class WebhookActive extends PlatformError {
  constructor(id: string) {
    super('INVALID_STATE', `The webhook ${id} is active: there is nothing to resume.`, { resource: 'webhook', id, from: 'active' });
  }
}

/** 409: nothing is sent to a webhook that was stopped, by its owner or by the platform. */
export class WebhookInactive extends PlatformError {
  constructor(id: string) {
    super('INVALID_STATE', `The webhook ${id} is inactive. Resume it first, at POST /v1/webhooks/${id}/resume.`, {
      resource: 'webhook',
      id,
      from: 'inactive',
    });
  }
}
