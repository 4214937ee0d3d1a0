import { PlatformError } from '../../../kernel/errors/errors.ts';
import { TEST_EVENT } from '../webhooks/webhook.events.ts';

/** 409: the delivery is not sent again, for the reason that the message says. */
class NotRedelivered extends PlatformError {
  constructor(id: string, reason: string) {
    super('INVALID_STATE', `The delivery ${id} ${reason}`, { resource: 'webhook_delivery', id });
  }
}

export class DeliveryUnderWay extends NotRedelivered {
  constructor(id: string) {
    super(id, 'is under way already.');
  }
}

export class TestNotRedelivered extends NotRedelivered {
  constructor(id: string) {
    super(id, `is a ${TEST_EVENT}, which is in no log. Test the webhook again instead.`);
  }
}

export class EventNotKept extends NotRedelivered {
  constructor(id: string) {
    super(id, 'is of an event that the log keeps no more.');
  }
}

export class QuotaUsedUp extends NotRedelivered {
  constructor(id: string) {
    super(id, "is beyond the plan's deliveries of this month. Redeliver it when the next has begun or the plan was changed.");
  }
}
