import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver in a process of its own, for bench/webhooks.ts: answers 200 at once and tells, when asked, what came when. */
const arrivals: [id: string, at: number][] = [];

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    arrivals.push([String(request.headers['webhook-id']), performance.timeOrigin + performance.now()]);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.(arrivals.splice(0)));
process.on('disconnect', () => process.exit());
