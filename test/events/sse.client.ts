import { get, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Json, Tenant } from '../tenant.ts';

export interface Frame {
  id: string;
  event: string;
  data: string;
}

/** Reads server-sent events like EventSource in a browser. Tests can pause it or drop its connection. */
export class SseClient {
  readonly frames: Frame[] = [];
  readonly comments: string[] = [];
  retry: number | undefined;
  isClosed = false;
  #rest = '';

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    response.on('close', () => {
      this.isClosed = true;
    });
    response.on('error', () => undefined);
    onTestFinished(() => void response.destroy());
  }

  /**
   * Opens a stream of server-sent events.
   * @throws the body of a response that is not a stream
   */
  static async open(tenant: Pick<Tenant, 'origin' | 'credentials'>, query = '', headers: Record<string, string> = {}): Promise<SseClient> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = { ...tenant.credentials, accept: 'text/event-stream', ...headers };
      get(`${tenant.origin}/v1/events/stream${query}`, { headers: sent, agent: false }, resolve).on('error', reject);
    });
    if (response.statusCode === 200) return new SseClient(response);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    throw Object.assign(new Error(`The response has the status ${response.statusCode}.`), {
      status: response.statusCode,
      body: JSON.parse(Buffer.concat(chunks).toString()) as Json,
    });
  }

  get lastEventId(): string {
    return this.frames.at(-1)?.id ?? '';
  }

  drop(): void {
    this.response.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]);
      const fields = Object.fromEntries(lines) as Record<string, string>;
      if (fields.retry) this.retry = Number(fields.retry);
      if (fields[''] !== undefined) this.comments.push(fields['']);
      if (fields.data !== undefined) this.frames.push({ id: fields.id ?? '', event: fields.event ?? '', data: fields.data });
    }
  }
}
