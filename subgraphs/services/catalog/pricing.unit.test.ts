import { expect, test } from 'vitest';
import { Decimal } from '../../../kernel/values/money.ts';
import { lineOfPrice, priceOf } from '../inventory/price-line.ts';
import { ServiceType } from '../inventory/service.states.ts';
import type { Offer } from './offer.ts';
import { offerProblems, type PricedTerms, priceLinesOf } from './pricing.ts';

const offer: Offer = {
  service: {
    id: 'business_fiber',
    name: 'Business Fiber',
    category: 'connectivity',
    description: '',
    product: ServiceType.INTERNET,
    serviceType: 'fiber',
    startingPrice: new Decimal('89.99'),
    installationFee: new Decimal(199),
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
  features: [
    { name: 'static_ip', description: '', monthlyPrice: new Decimal(15), perUnit: false, needs: [] },
    { name: 'encryption', description: '', monthlyPrice: new Decimal('2.5'), perUnit: true, needs: ['static_ip'] },
  ],
};
const terms: PricedTerms = { bandwidthMbps: 1000, sla: 'standard', features: [], quantity: 1 };
const totalOf = (wanted: Partial<PricedTerms>): string => priceOf(priceLinesOf(offer, { ...terms, ...wanted }), 'USD').toFixed(2);

test('the price of a service is its bandwidth price plus the service level surcharge, rounded half up to cents', () => {
  expect(totalOf({ sla: 'business' })).toBe('336.38'); // 336.375
  expect(totalOf({ bandwidthMbps: 100 })).toBe('89.99');
});

test('each part of a price is multiplied by its quantity before it is rounded', () => {
  expect(totalOf({ sla: 'business', quantity: 3 })).toBe('1009.13'); // 3 x 336.375 = 1009.125
});

test('the service level surcharge applies to features, and the price of a per-unit feature is multiplied by the quantity', () => {
  expect(totalOf({ features: ['static_ip', 'encryption'], quantity: 2 })).toBe('618.00'); // 2 x 299 + 15 + 2 x 2.50
  expect(totalOf({ features: ['static_ip'], sla: 'business' })).toBe('353.26'); // 336.375 and 16.875, each rounded
});

test('a part of the price keeps its agreed unit price, unless the service level changes', () => {
  const agreed = priceLinesOf(offer, { ...terms, features: ['static_ip'] }).map((line) => ({ ...line, unitPrice: '1.00' }));
  expect(priceLinesOf(offer, { ...terms, features: ['static_ip'] }, agreed).map(({ unitPrice }) => unitPrice)).toEqual(['1.00', '1.00']);
  expect(priceOf(priceLinesOf(offer, { ...terms, bandwidthMbps: 100, features: ['static_ip'] }, agreed), 'USD').toFixed(2)).toBe('90.99');
  expect(priceOf(priceLinesOf(offer, { ...terms, sla: 'business' }, agreed), 'USD').toFixed(2)).toBe('336.38');
});

test('a bandwidth and features that the catalog no longer sells keep their agreed price', () => {
  const wanted = { ...terms, features: ['static_ip', 'encryption'] };
  const agreed = priceLinesOf(offer, wanted);
  const less = { ...offer, bandwidths: offer.bandwidths.slice(0, 1), features: [] };
  expect(priceLinesOf(less, wanted, agreed)).toEqual(agreed);
  expect(priceOf(priceLinesOf(less, { ...wanted, features: ['static_ip'] }, agreed), 'USD').toFixed(2)).toBe('314.00');
  const sites = { ...less, service: { ...less.service, unit: 'site/month' } };
  const agreedSites = priceLinesOf({ ...offer, service: sites.service }, { ...wanted, quantity: 2 });
  expect(priceOf(priceLinesOf(sites, { ...wanted, quantity: 4 }, agreedSites), 'USD').toFixed(2)).toBe('1221.00'); // 4 x 299 + 15 + 4 x 2.50
});

test('a service that was ordered before price lines were stored keeps its price when a feature is added', () => {
  const line = lineOfPrice({ catalogId: 'business_fiber', bandwidthMbps: 1000, sla: 'standard' }, new Decimal('250.00'));
  expect(priceOf(priceLinesOf(offer, { ...terms, features: ['static_ip'] }, [line]), 'USD').toFixed(2)).toBe('265.00');
});

test('a value that the catalog does not sell, or a missing bandwidth, is reported with the values that can be ordered', () => {
  expect(offerProblems(offer, { ...terms, bandwidthMbps: 300, sla: 'platinum', features: ['static_ip', 'fast_lane'] })).toEqual([
    { field: 'bandwidth', value: '300mbps', reason: 'must be one of 100mbps, 1000mbps' },
    { field: 'sla', value: 'platinum', reason: 'must be one of standard, business' },
    { field: 'features.1', value: 'fast_lane', reason: 'must be one of static_ip, encryption' },
  ]);
  expect(offerProblems(offer, { ...terms, bandwidthMbps: null })).toEqual([
    { field: 'bandwidth', reason: 'is required: one of 100mbps, 1000mbps' },
  ]);
});
