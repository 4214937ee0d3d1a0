import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type GraphQLSchema, printSchema } from 'graphql';
import { PlatformError } from '../kernel/errors/errors.ts';
import type { Router } from './router.ts';
import { StaticContent } from './static-content.ts';

/** Prints the public schema as SDL. It contains descriptions and `@deprecated`, but no directives of federation. */
export const apiSdl = (schema: GraphQLSchema): string => printSchema(schema).trim();

const ALLOW = 'GET, HEAD, OPTIONS';

/**
 * Serves the API schema as a file, for code generators and editors. It is printed once for each version of the
 * supergraph.
 * Introspection returns the same schema, but costs work for each request, and needs credentials
 * (docs/decisions/graphql.md).
 */
export function mountSchemaFile(app: FastifyInstance, router: Router, url: string, access: 'public' | 'authenticated'): void {
  const config = { access, weight: 0 };
  let printed: { schema: GraphQLSchema; content: StaticContent } | undefined;
  const current = (): StaticContent => {
    const schema = router.apiSchema;
    if (printed?.schema !== schema) printed = { schema, content: contentOf(schema) };
    return printed.content;
  };
  app.get(url, { config }, (request, reply) => current().send(request, reply.header('x-content-type-options', 'nosniff')));
  app.options(url, { config }, (_, reply) => reply.code(204).header('allow', ALLOW).send());
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, config: { access }, handler: refuseMethod });
}

const contentOf = (schema: GraphQLSchema): StaticContent =>
  new StaticContent(Buffer.from(`${apiSdl(schema)}\n`), 'application/graphql; charset=utf-8', 'no-cache');

function refuseMethod({ method }: FastifyRequest, reply: FastifyReply): never {
  reply.header('allow', ALLOW);
  throw new PlatformError('METHOD_NOT_ALLOWED', `${method} is not allowed here, only ${ALLOW}.`, { method, allowed: ALLOW.split(', ') });
}
