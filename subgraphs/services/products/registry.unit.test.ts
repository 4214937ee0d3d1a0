import { expect, test } from 'vitest';
import { configurationProblems } from './configuration.ts';
import { products } from './registry.ts';

test.each(products.map((product) => [product.type, product] as const))(
  'requiredSettings of the product %s contains exactly the settings that its schema requires',
  (_, product) => {
    const required = configurationProblems(product, {}).map(({ field }) => field);
    expect(Object.keys(product.requiredSettings ?? {})).toEqual(required);
  },
);

test('each product whose number of billed units depends on its settings states which numbers are possible', () => {
  const sold = products.filter(({ quantityOf }) => quantityOf);
  expect(sold.filter(({ quantities, size }) => !quantities && !size).map(({ type }) => type)).toEqual([]);
});
