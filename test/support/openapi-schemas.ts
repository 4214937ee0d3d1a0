import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Route } from '../../rest-bridge/route.ts';
import type { Json } from '../tenant.ts';
import { deviationsFrom, newAjv } from './json-schema.ts';
import { openapi, resolved } from './operations.ts';

/** Creates a JSON Schema validator that includes the components of the OpenAPI document. */
export function openApiAjv(): Ajv2020 {
  const ajv = newAjv();
  ajv.addSchema({ ...openapi, $id: 'openapi' });
  return ajv;
}

/** Changes the references of a schema so that the validator from `openApiAjv` can resolve them. */
export const validatable = (schema: Json): Json => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));

/** The differences between a response and the OpenAPI document. Empty if the response matches. */
export function responseDeviations(ajv: Ajv2020, { method, path }: Pick<Route, 'method' | 'path'>, status: number, body: Json): string[] {
  const described = resolved(openapi.paths[path]?.[method.toLowerCase()]?.responses[status]);
  const schema = described?.content?.['application/json']?.schema;
  return schema ? deviationsFrom(ajv, validatable(schema), body) : [`${status} is not described`];
}
