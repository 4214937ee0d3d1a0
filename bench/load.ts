import autocannon from 'autocannon';

/**
 * Sends `amount` requests. `perSecond` is the number of requests divided by the time from the first request to the last response. The rates
 * of autocannon are not used, because they are rounded to whole seconds, so a short run would seem slower.
 */
export async function load(options: autocannon.Options & { amount: number }): Promise<{ perSecond: number; result: autocannon.Result }> {
  const began = performance.now();
  let ended = began;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, found) => (error ? reject(error) : resolve(found)));
    instance.on('response', () => {
      ended = performance.now();
    });
  });
  return { perSecond: (options.amount / (ended - began)) * 1000, result };
}
