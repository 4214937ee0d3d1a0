/**
 * A getter whose value is made when it is first asked for, and kept. A request's context is made of such: most requests want one
 * loader or one service, and what makes the others would cost more than they do.
 */
export function once<T>(_: object, name: string, { get }: TypedPropertyDescriptor<T>): TypedPropertyDescriptor<T> {
  if (!get) throw new Error(`${name} is no getter.`);
  const kept = Symbol(name);
  return {
    get(this: { [kept]?: T }) {
      this[kept] ??= get.call(this);
      return this[kept] as T;
    },
    configurable: true,
  };
}
