import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { FileStore, OpenFile } from './files.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** URL of an S3-compatible store, such as MinIO. Undefined for AWS. */
  endpoint?: string | undefined;
  /** Credentials. Default: the credentials that the AWS SDK finds in the environment, the profile or the machine role. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
}

type Sdk = typeof import('@aws-sdk/client-s3');

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_TIMEOUT_MS = 30_000;

/**
 * Stores files in a bucket of S3 or a compatible store. The SDK retries when the store is busy. The SDK is loaded when
 * the first file is used, because a platform that stores files in a folder does not need it.
 */
export class S3Files implements FileStore {
  #loaded: Promise<{ sdk: Sdk; client: S3Client }> | undefined;

  constructor(private readonly options: S3Options) {}

  async put(key: string, content: Buffer): Promise<void> {
    const { sdk, client } = await this.#load();
    await client.send(new sdk.PutObjectCommand({ Bucket: this.options.bucket, Key: key, Body: content, ContentLength: content.length }));
  }

  async open(key: string): Promise<OpenFile | undefined> {
    const { sdk, client } = await this.#load();
    try {
      const { Body, ContentLength = 0 } = await client.send(new sdk.GetObjectCommand({ Bucket: this.options.bucket, Key: key }));
      return { size: ContentLength, stream: Body as Readable };
    } catch (error) {
      if (error instanceof sdk.NoSuchKey) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    const { sdk, client } = await this.#load();
    await client.send(new sdk.DeleteObjectCommand({ Bucket: this.options.bucket, Key: key }));
  }

  async close(): Promise<void> {
    if (this.#loaded) (await this.#loaded).client.destroy();
  }

  #load(): Promise<{ sdk: Sdk; client: S3Client }> {
    this.#loaded ??= this.#connect();
    return this.#loaded;
  }

  async #connect(): Promise<{ sdk: Sdk; client: S3Client }> {
    const sdk = await import('@aws-sdk/client-s3');
    const { region, endpoint, credentials } = this.options;
    const client = new sdk.S3Client({
      region,
      ...(endpoint && { endpoint, forcePathStyle: true }),
      ...(credentials && { credentials }),
      // some S3-compatible stores do not support the newer checksums; attachments have their own SHA-256 check
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: SILENCE_TIMEOUT_MS },
    });
    return { sdk, client };
  }
}
