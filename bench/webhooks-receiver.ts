import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A webhook receiver for bench/webhooks.ts, in its own process. It responds with 200 immediately, and reports on
 * request when each delivery arrived.
 */
const arrivals: [id: string, at: number][] = [];
let awaited = Number.POSITIVE_INFINITY;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    arrivals.push([String(request.headers['webhook-id']), performance.timeOrigin + performance.now()]);
    response.end();
    if (arrivals.length >= awaited) tell();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
/** Each message is a number. The deliveries are reported when this number of them has arrived. */
process.on('message', (count: number) => {
  awaited = count;
  if (arrivals.length >= awaited) tell();
});

function tell(): void {
  awaited = Number.POSITIVE_INFINITY;
  process.send?.(arrivals.splice(0));
}
