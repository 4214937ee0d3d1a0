import type { ServiceType } from '../inventory/service.states.ts';
import { internet } from './internet/internet.product.ts';
import { network } from './network/network.product.ts';
import type { Product } from './product.ts';
import { sipTrunk } from './sip-trunk/sip-trunk.product.ts';

/** All products. The catalog names the product of each catalog service. */
export const products: readonly Product[] = [internet, network, sipTrunk];

/** Returns the product of a kind of service. */
export function productOf(type: ServiceType): Product {
  const product = products.find((one) => one.type === type);
  if (!product) throw new Error(`No product has the type ${type}.`);
  return product;
}
