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
  /** Users are asked for one (specification 3.6). */
  'x-second-factor'?: true;
  'x-rate-category'?: string;
  /** How much it counts against the hourly and the burst limit. */
  'x-rate-weight'?: number;
  'x-addition'?: true;
  /** Where it is served, for one that is not under /v1. */
  servers?: { url: string; description: string }[];
}

/** The parts of an OpenAPI 3.1 document that are written here. */
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
