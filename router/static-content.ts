import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Encoding, encodings, entityTag, heldTag } from '../kernel/http/entity-tags.ts';
import { addVary } from '../kernel/http/http.ts';
import { acceptedEncoding, markEncoded } from './compression.ts';

/**
 * Folders of the compressed files that the build wrote (apps/tools/precompress.ts). The name of a file is the entity
 * tag of the uncompressed content, a dot, and the encoding.
 * The first folder is next to the compiled router. The second folder is in dist/, for a router that runs from its
 * sources.
 */
const FOLDERS = ['../static/', '../dist/static/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
/**
 * Quality of Brotli compression. The result is almost as small as with the highest quality, and takes a tenth of the
 * time.
 */
const BROTLI_QUALITY = 9;

/**
 * Content that does not change while the process runs. It is compressed once: by the build, or for the first client
 * that accepts compression.
 */
export class StaticContent {
  readonly tag: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(
    private readonly content: Buffer,
    private readonly type: string,
    private readonly cacheControl: string,
  ) {
    this.tag = entityTag(content);
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    addVary(reply, 'Accept-Encoding');
    reply.header('cache-control', this.cacheControl).header('etag', this.tag);
    const held = heldTag(request.headers['if-none-match'], this.tag);
    if (held) return reply.code(304).header('etag', held).send();
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    reply.type(this.type);
    if (!encoding) return reply.send(this.content);
    const encoded = await this.encoded(encoding);
    markEncoded(request, reply, encoding);
    return reply.send(encoded);
  }

  encoded(encoding: Encoding): Promise<Buffer> {
    const known = this.#encoded.get(encoding) ?? this.#find(encoding);
    this.#encoded.set(encoding, known);
    return known;
  }

  /**
   * Writes the compressed files to a folder, unless they exist. `folder` must be one of the folders in which this class searches for
   * compressed files. Returns the file names.
   */
  async precompress(folder: string): Promise<string[]> {
    mkdirSync(folder, { recursive: true });
    for (const encoding of encodings) {
      const file = join(folder, this.#fileOf(encoding));
      if (!existsSync(file)) writeFileSync(file, await compressed(this.content, encoding));
    }
    return encodings.map((encoding) => this.#fileOf(encoding));
  }

  async #find(encoding: Encoding): Promise<Buffer> {
    const file = FOLDERS.map((folder) => join(folder, this.#fileOf(encoding))).find((one) => existsSync(one));
    return file ? readFileSync(file) : compressed(this.content, encoding);
  }

  #fileOf(encoding: Encoding): string {
    return `${this.tag.slice(1, -1)}.${encoding}`;
  }
}

async function compressed(content: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION });
  return promisify(brotliCompress)(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
}
