import type { FastifyInstance } from 'fastify';
import type { Secrets } from '../../kernel/access/secrets.ts';
import type { Rows } from '../../kernel/database/database.ts';
import type { EventType } from '../../kernel/events/events.ts';
import type { InputProblems } from '../../kernel/graphql/input-problems.ts';
import { SqlIdempotencyStore } from '../../kernel/idempotency/store.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { type Retained, RetentionTask } from '../../kernel/work/retention.ts';
import { mountEventStream } from '../../rest-bridge/event-stream.ts';
import { mountRest } from '../../rest-bridge/mount.ts';
import { rewriteUrl } from '../../rest-bridge/paths.ts';
import { allPermissionsIn, permissionsIn, policiesIn, requireOperation } from '../../rest-bridge/permission.ts';
import type { Route } from '../../rest-bridge/route.ts';
import { type RateOf, rateByWeight } from '../../router/api-schema.ts';
import { CredentialWatch } from '../../router/credential-watch.ts';
import type { Admission } from '../../router/edge/admission.ts';
import { clientAddress } from '../../router/edge/client-address.ts';
import type { Edge } from '../../router/edge/edge.ts';
import type { Cost } from '../../router/edge/limiter.ts';
import { mountGraphql } from '../../router/http.ts';
import { LiveCaps } from '../../router/live-caps.ts';
import { LocalTransport } from '../../router/local-transport.ts';
import type { MutationsOnceOptions } from '../../router/mutations-once.ts';
import type { RouterObserver } from '../../router/observer.ts';
import { type Challenge, createRouter, type Router } from '../../router/router.ts';
import { mountGraphqlSocket } from '../../router/ws.ts';
import type { Foundation } from './assembly.ts';
import { supergraphOf } from './composition.ts';
import { categoryByPermission, costsByRoutes, prioritiesByRoutes } from './rate-categories.ts';
import { restAreas, restSurface } from './rest-areas.ts';

/** The router over the subgraphs of this process, and the REST and GraphQL APIs that serve it. */
export interface Surfaces {
  router: Router;
  /** The table of stored responses to requests with an idempotency key. Its rows are deleted by age. */
  retained: Retained;
  rewriteUrl(url: string): string;
  mount(app: FastifyInstance, edge: Edge): Promise<void>;
  /** Starts the background deletion of expired stored responses. */
  startWork(): void;
  close(): Promise<void>;
}

/** Functions of the identity domain that the APIs call. */
export interface CredentialPorts {
  challenge: Challenge;
  onCredentialChange(listener: (subjectId: string) => void): void;
}

const PURGE_MS = 3_600_000;
const NOTHING: Cost = { weight: 0 };

export async function openSurfaces(
  { config, clock, log, metrics, origin }: Foundation,
  subgraphs: readonly Subgraph[],
  { rows, secrets, eventTypes }: { rows: Rows; secrets: Secrets; eventTypes: readonly EventType[] },
  { challenge, onCredentialChange }: CredentialPorts,
): Promise<Surfaces> {
  const supergraphSdl = supergraphOf(subgraphs);
  const routes = restAreas.flatMap((area) => area.routes);
  const demands = { permissionOf: allPermissionsIn(supergraphSdl), hasPolicy: policiesIn(supergraphSdl) };
  const costOf = costsIn(supergraphSdl, routes, demands);
  const options = { supergraphSdl, ...localTransports(subgraphs), log, observer: observerOf(metrics), challenge, rateOf: rateBy(costOf) };
  const router = await createRouter(options);
  const idempotency = new SqlIdempotencyStore(rows, secrets);
  const once = { store: idempotency, authorize: authorizer(demands) };
  const priorityOf = prioritiesByRoutes(routes);
  const categoriesOf = (fields: readonly string[]) => costOf({ weight: 0, requests: 0, fields })?.categories ?? {};
  const addressOf = clientAddress(config.trustedProxies);
  const watch = new CredentialWatch<Admission>({ onCredentialChange, log });
  const caps = new LiveCaps();
  const retentionTask = new RetentionTask({ name: 'rest.idempotency', everyMs: PURGE_MS, log }, () => [idempotency.retained]);
  return {
    router,
    retained: idempotency.retained,
    rewriteUrl: (url) => rewriteUrl({ url }),
    async mount(app, edge) {
      await mountGraphql(app, router, {
        once,
        async charge(request, price) {
          const cost = costOf(price);
          if (cost) await request.charge(cost);
          await request.enter(priorityOf(price));
        },
        refused: (request, fields) => (request.caller as Admission).giveBack(categoriesOf(fields)),
      });
      mountGraphqlSocket(app, router, {
        admit: (opening) => edge.admit({ ...opening, ip: addressOf(opening.request), userAgent: opening.request.headers['user-agent'] }),
        async charge(admission, price) {
          const cost = costOf(price);
          if (cost) await admission.charge(cost);
        },
        refused: (admission, fields) => admission.giveBack(categoriesOf(fields)),
        serve: (admission, price, closed, run) =>
          admission.serve({ cost: costOf(price) ?? NOTHING, priority: priorityOf(price) }, closed, run),
        once,
        watch,
        caps,
        allowedOrigins: config.allowedOrigins,
        log,
      });
      await mountRest(app, {
        schema: router.schema,
        ...demands,
        ...restSurface({ origin, authOrigin: config.authUrl, samlOrigin: config.serviceOrigin }, eventTypes),
        execute: (operation) => router.execute(operation),
        present: (error, caller) => router.refusal(error, caller),
        rules: rulesOf(subgraphs),
        idempotency,
        clock,
      });
      await mountEventStream<Admission>(app, router, {
        admitted: ({ caller }) => caller as Admission,
        begun: (admission) => admission.leave(),
        readmit: ({ id, ip, headers, raw }) =>
          edge.admit({ requestId: id, ip, userAgent: headers['user-agent'], params: headers, request: raw, isRecheck: true }),
        watch,
        caps,
      });
    },
    startWork: () => retentionTask.start(),
    async close() {
      await retentionTask.stop();
      watch.close();
      await router.close();
    },
  };
}

/**
 * Returns the weight and the rate categories of a root field. The schema shows them in the description of the field.
 */
const rateBy =
  (costOf: ReturnType<typeof costsByRoutes>): RateOf =>
  (operation, field) => {
    const { weight, categories = {} } = costOf({ ...rateByWeight(operation, field), requests: 1, fields: [field] }) ?? NOTHING;
    return { weight, categories: Object.keys(categories) };
  };

const localTransports = (subgraphs: readonly Subgraph[]) => ({
  transports: new Map(subgraphs.map((subgraph) => [subgraph.name, new LocalTransport(subgraph)])),
});

/** Returns the cost of the operations of a supergraph. */
function costsIn(supergraphSdl: string, routes: readonly Route[], { hasPolicy }: Demands): ReturnType<typeof costsByRoutes> {
  const permissionOf = permissionsIn(supergraphSdl);
  return costsByRoutes(routes, {
    isQuery: (field) => permissionOf(`Query.${field}`) !== undefined,
    withoutRoute: categoryByPermission(permissionOf, hasPolicy),
  });
}

interface Demands {
  permissionOf(coordinate: string): readonly string[];
  hasPolicy(coordinate: string, policy: 'second_factor' | 'organization'): boolean;
}

/** Checks the arguments of a root field with the input rules of the subgraph that defines the field. */
const rulesOf =
  (subgraphs: readonly Subgraph[]): InputProblems =>
  async (kind, field, args, request) => {
    const rootOf = ({ schema }: Subgraph) => (kind === 'query' ? schema.getQueryType() : schema.getMutationType());
    const owner = subgraphs.find((subgraph) => rootOf(subgraph)?.getFields()[field]);
    return owner?.inputProblems?.(kind, field, args, request) ?? [];
  };

/**
 * Checks that the caller has the permissions for the root mutation fields of an operation. The REST bridge makes the
 * same check for its routes.
 */
const authorizer =
  ({ permissionOf, hasPolicy }: Demands): MutationsOnceOptions['authorize'] =>
  (fields, principal) => {
    for (const coordinate of fields.map((field) => `Mutation.${field}`)) {
      const [secondFactor, isOrganizationWide] = [hasPolicy(coordinate, 'second_factor'), hasPolicy(coordinate, 'organization')];
      const [permission, ...alsoRequired] = permissionOf(coordinate);
      requireOperation({ permission, alsoRequired, isOrganizationWide, secondFactor }, principal);
    }
  };

const observerOf = ({ graphqlDuration, subgraphFetches, liveSubscriptions }: Metrics): RouterObserver => ({
  operation: ({ type = 'invalid', durationMs, failed }) =>
    graphqlDuration.observe({ type, outcome: failed ? 'error' : 'ok' }, durationMs / 1000),
  fetch: ({ subgraph, failed }) => subgraphFetches.inc({ subgraph, outcome: failed ? 'error' : 'ok' }),
  live: ({ subscribers }) => liveSubscriptions.set(subscribers),
});
