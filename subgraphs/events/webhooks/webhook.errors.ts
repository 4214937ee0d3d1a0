import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409 INVALID_STATE: the webhook is active, and only an inactive webhook can be resumed. */
export class WebhookActive extends PlatformError {
  constructor(id: string) {
    super('INVALID_STATE', `The webhook ${id} is active already.`, { resource: 'webhook', id, from: 'active' });
  }
}

/** 409 INVALID_STATE: the webhook is inactive, and the operation needs an active webhook. */
export class WebhookInactive extends PlatformError {
  constructor(id: string) {
    super('INVALID_STATE', `The webhook ${id} is inactive. Resume it first with POST /v1/webhooks/${id}/resume.`, {
      resource: 'webhook',
      id,
      from: 'inactive',
    });
  }
}
