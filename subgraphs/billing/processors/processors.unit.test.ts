import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { ConfigError } from '../../../kernel/settings/config.ts';
import { MethodDeclined, OutcomeUnknown } from './payment-processor.ts';
import { type ProcessorSettings, selectProcessor } from './processors.ts';

const rows = {} as Rows;
const DEFAULTS: ProcessorSettings = { testPayments: true };
const STRIPE = { stripeSecretKey: 'sk_live_1', stripeWebhookSecret: 'whsec_1' };

const selected = async (settings: Partial<ProcessorSettings>) =>
  (await selectProcessor({ ...DEFAULTS, ...settings }))({ rows, clock: systemClock });

describe('selectProcessor', () => {
  test.each([
    ['Stripe is selected if its keys are set', STRIPE, 'stripe', false],
    ['Stripe is selected if simulated payments are off', { ...STRIPE, testPayments: false }, 'stripe', false],
    ["a key of Stripe's test mode is reported as simulated", { ...STRIPE, stripeSecretKey: 'sk_test_1' }, 'stripe', true],
    ['the test processor is selected without keys', {}, 'test', true],
    ['no processor is selected without keys if simulated payments are off', { testPayments: false }, 'none', false],
  ])('%s', async (_, settings, name, simulated) => {
    expect(await selected(settings)).toMatchObject({ name, simulated });
  });

  test.each([{ stripeSecretKey: 'sk_live_1' }, { stripeWebhookSecret: 'whsec_1' }])(
    'a configuration with only one of the two Stripe secrets is refused, and the error does not contain the secret',
    async (settings) => {
      const error = await selected(settings).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as Error).message).not.toContain('_1');
    },
  );

  test('without a payment processor, new payments are declined with the reason, and the outcome of payments of another processor stays unknown', async () => {
    const none = await selected({ testPayments: false });
    const declined = { state: 'declined', code: 'no_processor', isFinal: false };
    // the arguments are not used
    expect(await none.charge({} as never)).toMatchObject(declined);
    expect(await none.refund({} as never)).toMatchObject(declined);
    await expect(none.attach('tok_visa', {} as never)).rejects.toBeInstanceOf(MethodDeclined);
    await expect(none.findCharge({} as never)).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(none.findRefund({} as never)).rejects.toBeInstanceOf(OutcomeUnknown);
  });
});
