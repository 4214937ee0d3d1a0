/**
 * Decorator of a getter whose value is computed on first access and then cached. The context of a request uses this
 * decorator: most requests need only one loader or service, and creating all of them would cost more than the request
 * itself.
 */
export function once<T>(_: object, name: string, { get }: TypedPropertyDescriptor<T>): TypedPropertyDescriptor<T> {
  if (!get) throw new Error(`${name} is not a getter.`);
  const kept = Symbol(name);
  return {
    get(this: { [kept]?: T }) {
      this[kept] ??= get.call(this);
      return this[kept] as T;
    },
    configurable: true,
  };
}
