import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver in a process of its own, for bench/webhooks.ts: answers 200 at once and tells, when asked, what came when. */
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
/** A number: tell when so many have come, and not before. */
process.on('message', (count: number) => {
  awaited = count;
  if (arrivals.length >= awaited) tell();
});

function tell(): void {
  awaited = Number.POSITIVE_INFINITY;
  process.send?.(arrivals.splice(0));
}
