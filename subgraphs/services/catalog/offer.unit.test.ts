import { expect, test } from 'vitest';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { type Offer, priceOf } from './offer.ts';

const offer: Offer = {
  service: {
    id: 'business_fiber',
    name: 'Business Fiber',
    category: 'connectivity',
    description: '',
    startingPrice: new Decimal('89.99'),
    unit: 'month',
    currency: 'USD',
  },
  bandwidths: [
    { mbps: 100, monthlyPrice: new Decimal('89.99') },
    { mbps: 1000, monthlyPrice: new Decimal('299.00') },
  ],
  slas: [
    { name: 'standard', upliftPercent: new Decimal(0), uptimePercent: new Decimal('99.9') },
    { name: 'business', upliftPercent: new Decimal('12.5'), uptimePercent: new Decimal('99.95') },
  ],
};

test('the price of an offer is its bandwidth price plus the service level surcharge, rounded half up to cents', () => {
  expect(priceOf(offer, 1000, 'business')).toMatchObject({ sla: 'business', currency: 'USD', monthlyPrice: new Decimal('336.38') }); // 336.375
  expect(priceOf(offer, 100, 'standard').monthlyPrice.toFixed(2)).toBe('89.99');
});

test('the price of an offer without a given service level is for the first service level of the offer', () => {
  expect(priceOf(offer, 100, undefined).sla).toBe('standard');
});

test.each([
  [300, 'standard', 'bandwidth', 'must be one of 100mbps, 1000mbps'],
  [100, 'platinum', 'sla', 'must be one of standard, business'],
])(
  'pricing %d megabits with the service level %s throws an error with the field %s and its available values',
  (mbps, sla, field, reason) => {
    const attempt = () => priceOf(offer, mbps, sla);
    expect(attempt).toThrow(PlatformError);
    expect(attempt).toThrow(`${field}: ${reason}`);
  },
);
