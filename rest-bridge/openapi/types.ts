import type { JsonSchema } from '../json-schema.ts';

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  style?: string;
  explode?: boolean;
  example?: unknown;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response | Reference>;
  'x-permission'?: string;
  'x-also-required'?: readonly string[];
  /** True if the operation asks users for a second factor (specification 3.6). */
  'x-second-factor'?: true;
  'x-rate-category'?: string;
  /** Weight of one request in the hourly and the burst limit. */
  'x-rate-weight'?: number;
  'x-addition'?: true;
  /** The servers of an operation whose path is not under /v1. */
  servers?: { url: string; description: string }[];
}

/** An OpenAPI 3.1 document. The type contains only the parts that the platform uses. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: Record<string, Record<string, unknown>>;
}

export const ref = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` });
