import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET: secret = '', DATABASE = 'events.sqlite', PORT = '3000' } = process.env;
const MAX_BYTES = 1 << 20;
const RETRY_MS = 60_000;

interface PlatformEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

const webhook = new Webhook(secret, secret.startsWith('whsec_') ? undefined : { format: 'raw' });
const database = new DatabaseSync(DATABASE);
database.exec('create table if not exists event (id text primary key, body text not null, handled_at text)');
const store = database.prepare('insert into event (id, body) values (?, ?) on conflict do nothing');
const oldest = database.prepare('select id, body from event where handled_at is null order by rowid limit 1');
const finish = database.prepare("update event set handled_at = datetime('now') where id = ?");

/** Placeholder for your own code. It may take as long as it needs, because the receiver has already responded to the platform. */
async function handle(event: PlatformEvent): Promise<void> {
  console.log(`handled ${event.event} ${event.id}`);
}

let isWorking = false;

/**
 * Handles the stored events one after the other. If the handling of an event fails, the event stays stored and is
 * retried.
 */
async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  try {
    for (let row = oldest.get(); row; row = oldest.get()) {
      await handle(JSON.parse(String(row.body)) as PlatformEvent);
      finish.run(String(row.id));
    }
  } catch (error) {
    console.error(error);
    setTimeout(() => void work(), RETRY_MS);
  } finally {
    isWorking = false;
  }
}

/**
 * Reads the exact bytes of a body, because the signature is computed from them. Returns undefined if there are too many
 * bytes.
 */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request);
  if (!body) return response.writeHead(413).end();
  let event: PlatformEvent;
  try {
    event = webhook.verify(body, request.headers as Record<string, string>) as PlatformEvent;
  } catch {
    return response.writeHead(400).end();
  }
  // a repeated delivery has the same event id, so the event is not stored again
  store.run(event.id, body.toString());
  response.writeHead(204).end();
  void work();
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log('listening on', server.address());
  void work();
});
