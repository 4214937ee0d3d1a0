import { inCatalogOrder, type Offer, requiredFeatures } from '../catalog/offer.ts';

/**
 * Returns the selection that switches the feature `name` on if it is off, and off if it is on. Switching it off also switches off the
 * features that require it. Every feature that the resulting features require is switched on, unless the service
 * already has a feature without it.
 */
export function selectionFor(offer: Offer, present: readonly string[], name: string): Record<string, boolean> {
  const isOn = !present.includes(name);
  const requires = (one: string, other: string): boolean => requiredFeatures(offer, one, present).includes(other);
  const off = isOn ? new Set<string>() : closure([name], (one) => present.filter((other) => requires(other, one)));
  const kept = [...present.filter((one) => !off.has(one)), ...(isOn ? [name] : [])];
  const on = closure(kept, (one) => requiredFeatures(offer, one, present));
  const switched = [...present.filter((one) => off.has(one)), ...[...on].filter((one) => !present.includes(one))];
  return Object.fromEntries(inCatalogOrder(offer, switched).map((one) => [one, on.has(one)]));
}

/** Returns `names` and all names that `next` leads to from them, directly or through other names. */
function closure(names: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const found = new Set(names);
  for (const name of found) for (const other of next(name)) found.add(other);
  return found;
}
