import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { ConfigError } from '../../../kernel/settings/config.ts';
import { NoProcessor } from './no-processor.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { TestProcessor } from './test-processor.ts';

/** The settings that select the payment processor. */
export interface ProcessorSettings {
  stripeSecretKey?: string | undefined;
  stripeWebhookSecret?: string | undefined;
  /** Base URL of Stripe's API. Default: Stripe's public URL. */
  stripeUrl?: string | undefined;
  /** True if the test processor is used while no processor is configured. False if payments are declined in this case. */
  testPayments: boolean;
}

/** Creates the payment processor when the tables and the clock of billing are available. */
export type CreateProcessor = (ports: { rows: Rows; clock: Clock }) => PaymentProcessor;

export const testProcessor: CreateProcessor = ({ rows, clock }) => new TestProcessor(rows, clock);

/**
 * Selects the payment processor: Stripe if its keys are set, otherwise the test processor. If the operator has switched
 * simulated payments off, all payments are declined instead.
 * @throws ConfigError if only one of the two secrets of Stripe is set
 */
export async function selectProcessor(settings: ProcessorSettings): Promise<CreateProcessor> {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeUrl: url, testPayments } = settings;
  if (secretKey && webhookSecret) {
    // loads the package only if it is needed, because loading takes 200 ms
    const { StripeProcessor } = await import('./stripe-processor.ts');
    return ({ clock }) => new StripeProcessor({ secretKey, webhookSecret, url, clock });
  }
  if (secretKey || webhookSecret)
    throw new ConfigError([
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are needed together: bank debits and disputes are reported by webhook.',
    ]);
  return testPayments ? testProcessor : () => new NoProcessor();
}
