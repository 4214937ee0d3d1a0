import { PlatformError } from '../../../kernel/errors/errors.ts';
import { SubscriptionStatus } from './subscription.states.ts';

const { ACTIVE, CANCELLED } = SubscriptionStatus;

/** 409: an automatic subscription cannot be changed or cancelled in this way. It ends with its services. */
export class AutomaticSubscription extends PlatformError {
  constructor(id: string) {
    super(
      'INVALID_STATE',
      `The subscription ${id} is automatic: it bills all services of its account, and ends with them. End the services.`,
      {
        resource: 'billing_subscription',
        id,
        from: ACTIVE,
        to: CANCELLED,
        allowed: [],
      },
    );
  }
}

/** 409: the subscription has ended, or is cancelled. */
export class SubscriptionEnded extends PlatformError {
  constructor(id: string, to: SubscriptionStatus, hasEnded: boolean) {
    const advice = hasEnded ? 'It has ended.' : 'Undo the cancellation first, with the status `active`.';
    super('INVALID_STATE', `The subscription ${id} is cancelled. ${advice}`, {
      resource: 'billing_subscription',
      id,
      from: CANCELLED,
      to,
      allowed: hasEnded ? [] : [ACTIVE],
    });
  }
}

/** 409: a service cannot be billed, or another subscription will bill it from a later date. */
export class ServiceNotBillable extends PlatformError {
  constructor(serviceId: string, reason: string) {
    super('INVALID_STATE', `The service ${serviceId} ${reason}.`, { resource: 'service', id: serviceId });
  }
}

/** 409: the payment method can be charged only once. */
export class MethodNotReusable extends PlatformError {
  constructor(id: string) {
    super('INVALID_STATE', `The payment method ${id} can be charged only once. Use a method that is reusable.`, {
      resource: 'payment_method',
      id,
    });
  }
}
