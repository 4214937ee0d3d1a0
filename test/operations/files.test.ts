import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { type FileStore, FolderFiles } from '../../kernel/files/files.ts';
import { S3Files } from '../../kernel/files/s3.ts';
import { type Rig, start } from '../rig.ts';

const KEY = 'attachments/org_1/att_1';
const error = (code: string) => `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`;

/** A test server that responds like S3 with path-style addresses. */
class Bucket {
  readonly objects = new Map<string, Buffer>();
  readonly requests: { method: string; path: string; authorization: string }[] = [];
  /** Failures of the next requests: each request removes the first entry. If there is none, the request succeeds. */
  readonly failures: ('busy' | 'truncated')[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  endpoint = '';

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const [path = ''] = url.split('?');
    const body = await buffer(request);
    this.requests.push({ method, path, authorization: headers.authorization ?? '' });
    const failure = this.failures.shift();
    const found = this.objects.get(path);
    if (failure === 'busy') return void response.writeHead(503, { 'content-type': 'application/xml' }).end(error('SlowDown'));
    if (method === 'PUT') this.objects.set(path, body);
    if (method === 'DELETE') this.objects.delete(path);
    if (method !== 'GET') return void response.writeHead(method === 'PUT' ? 200 : 204).end();
    if (!found) return void response.writeHead(404, { 'content-type': 'application/xml' }).end(error('NoSuchKey'));
    response.writeHead(200, { 'content-length': found.length });
    if (failure !== 'truncated') return void response.end(found);
    response.write(found.subarray(0, found.length / 2), () => response.destroy());
  }
}

let bucket: Bucket;
beforeAll(async () => {
  bucket = await new Bucket().open();
});
afterAll(() => bucket.close());

const s3 = (): FileStore =>
  new S3Files({
    bucket: 'desk',
    region: 'eu-central-1',
    endpoint: bucket.endpoint,
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
  });
const stores: [string, () => FileStore][] = [
  ['a folder', () => new FolderFiles(scratchFolder())],
  ['a bucket', s3],
];

test.each(stores)('the file store in %s returns a stored file until the file is deleted', async (_, open) => {
  const store = open();
  const content = randomBytes(200_000);
  expect(await store.open(KEY)).toBeUndefined();
  await store.put(KEY, randomBytes(10));
  await store.put(KEY, content);
  const file = await store.open(KEY);
  expect(file?.size).toBe(content.length);
  expect(file && (await buffer(file.stream)).equals(content)).toBe(true);
  await store.delete(KEY);
  await store.delete(KEY);
  expect(await store.open(KEY)).toBeUndefined();
  await store.close();
});

describe('S3 bucket', () => {
  test('S3 requests use path-style addresses and are signed for the region of the bucket', async () => {
    const store = s3();
    await store.put(KEY, Buffer.from('a'));
    expect(bucket.requests.at(-1)).toEqual({
      method: 'PUT',
      path: `/desk/${KEY}`,
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-central-1\/s3\/aws4_request/),
    });
    await store.close();
  });

  test('an S3 request is retried twice after 503 SlowDown and then fails', async () => {
    const store = s3();
    bucket.failures.push('busy', 'busy');
    await store.put(KEY, Buffer.from('again'));
    expect(bucket.objects.get(`/desk/${KEY}`)?.toString()).toBe('again');
    bucket.failures.push('busy', 'busy', 'busy');
    await expect(store.put(KEY, Buffer.from('never'))).rejects.toThrow();
    await store.close();
  });

  test('an S3 download that is cut off throws an error', async () => {
    const store = s3();
    await store.put(KEY, randomBytes(400_000));
    bucket.failures.push('truncated');
    const file = await store.open(KEY);
    await expect(file && buffer(file.stream)).rejects.toThrow();
    await store.close();
  });
});

describe('platform with an S3 bucket', () => {
  let platform: Rig;
  beforeAll(async () => {
    const { endpoint } = bucket;
    platform = await start({
      FILES_S3_BUCKET: 'desk',
      FILES_S3_ENDPOINT: endpoint,
      FILES_S3_ACCESS_KEY_ID: 'AKIATEST',
      FILES_S3_SECRET_ACCESS_KEY: 'secret',
    });
  });
  afterAll(() => platform.close());

  test('attachments are stored in the S3 bucket, and storing or downloading returns 500 if the bucket fails', async () => {
    const tenant = await platform.organization();
    const data = Buffer.from('No light'.repeat(50_000));
    const attachments = [{ filename: 'a.txt', content_type: 'text/plain', data: data.toString('base64') }];
    const open = () => tenant.rest('POST', '/support/tickets', { body: { title: 'a', description: 'a', attachments } });
    const { body } = await open();
    const [{ id, download_url }] = body.ticket.attachments;
    expect(bucket.objects.get(`/desk/attachments/${tenant.organizationId}/${id}`)?.equals(data)).toBe(true);
    const download = () => fetch(download_url, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    expect(Buffer.from(await (await download()).arrayBuffer()).equals(data)).toBe(true);

    bucket.failures.push('truncated');
    const broken = await download();
    expect(broken.headers.get('content-length')).toBe(String(data.length));
    await expect(broken.arrayBuffer()).rejects.toThrow();
    expect(platform.logged.some((line) => line.includes('a download broke off') && line.includes(id))).toBe(true);

    bucket.failures.push('busy', 'busy', 'busy');
    expect((await open()).status).toBe(500);
    bucket.objects.clear();
    expect((await download()).status).toBe(500);
  });
});
