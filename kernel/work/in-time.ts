/**
 * Waits for a promise, but at most `ms` milliseconds. After that time, nobody waits for its outcome any more, and its error is ignored.
 * @throws the error that `late` creates, after that time
 */
export async function inTime<T>(running: Promise<T>, ms: number, late: () => Error): Promise<T> {
  running.catch(() => undefined);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms).unref();
  return Promise.race([running, promise]).finally(() => clearTimeout(timer));
}
