import { PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 409: the preferences cannot be changed in this way. `details.reason` is `no_payment_method`, `not_reusable`,
 * `auto_pay` or `billed`.
 */
export class PreferencesNotAllowed extends PlatformError {
  constructor(accountId: string, reason: 'no_payment_method' | 'not_reusable' | 'auto_pay' | 'billed', message: string) {
    super('INVALID_STATE', message, { resource: 'account', id: accountId, reason });
  }
}

export const noPaymentMethod = (accountId: string): PreferencesNotAllowed =>
  new PreferencesNotAllowed(
    accountId,
    'no_payment_method',
    'Automatic payment needs a default payment method. Set `payment_method_id`, or switch `auto_pay` off.',
  );

export const notReusable = (accountId: string, methodId: string): PreferencesNotAllowed =>
  new PreferencesNotAllowed(
    accountId,
    'not_reusable',
    `The payment method ${methodId} can be charged only once. Use a payment method that can be charged again.`,
  );

export const usedForAutoPay = (accountId: string, methodId: string): PreferencesNotAllowed =>
  new PreferencesNotAllowed(
    accountId,
    'auto_pay',
    `The payment method ${methodId} pays the invoices of the account automatically. Choose another default payment method, or switch \`auto_pay\` off.`,
  );

export const currencyIsFixed = (accountId: string, currency: string): PreferencesNotAllowed =>
  new PreferencesNotAllowed(
    accountId,
    'billed',
    `Services of the account were billed in ${currency}, so the currency cannot be changed any more.`,
  );
