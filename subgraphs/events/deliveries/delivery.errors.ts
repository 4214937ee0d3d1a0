import { PlatformError } from '../../../kernel/errors/errors.ts';
import { TEST_EVENT } from '../webhooks/webhook.events.ts';

/** 409 INVALID_STATE: the delivery cannot be sent again. The message states the reason. */
class NotRedelivered extends PlatformError {
  constructor(id: string, reason: string) {
    super('INVALID_STATE', `The delivery ${id} ${reason}`, { resource: 'webhook_delivery', id });
  }
}

export class DeliveryUnderWay extends NotRedelivered {
  constructor(id: string) {
    super(id, 'is under way already. Wait for its result.');
  }
}

export class TestNotRedelivered extends NotRedelivered {
  constructor(id: string) {
    super(id, `is a ${TEST_EVENT}, which is not stored. Test the webhook again instead.`);
  }
}

export class EventNotKept extends NotRedelivered {
  constructor(id: string) {
    super(id, 'cannot be sent again: its event is no longer in the log.');
  }
}

export class QuotaUsedUp extends NotRedelivered {
  constructor(id: string) {
    super(
      id,
      "cannot be sent again: the plan's deliveries of this month are used up. Redeliver it in the next month or after a change of plan.",
    );
  }
}
