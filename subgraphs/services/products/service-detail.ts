import { type ClassType, createUnionType } from 'type-graphql';
import type { Service } from '../inventory/service.entity.ts';
import type { ProductRecord } from './product-record.ts';
import { productOf, products } from './registry.ts';

/**
 * The record of any product, such as `InternetLine` or `Network`. The union has no `resolveType`: type-graphql would make
 * that function asynchronous, but operations that graphql-jit has compiled cannot wait for the type.
 */
export const ServiceDetail = createUnionType({
  name: 'ServiceDetail',
  description: 'A service with the fields of its kind.',
  types: () => products.map(({ detail }) => detail) as [ClassType<ProductRecord>],
});

/** Returns a service with the typed settings of its product. */
export function detailOf(service: Service): ProductRecord {
  const { detail: Detail } = productOf(service.type);
  return new Detail(service);
}
