import type { FastifyInstance } from 'fastify';
import { SecretBox } from '../../kernel/access/secret-box.ts';
import type { Rows } from '../../kernel/database/database.ts';
import type { InputProblems } from '../../kernel/graphql/input-problems.ts';
import { SqlIdempotencyStore } from '../../kernel/idempotency/store.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { Upkeep } from '../../kernel/work/upkeep.ts';
import { mountEventStream } from '../../rest-bridge/event-stream.ts';
import { mountRest } from '../../rest-bridge/mount.ts';
import { rewriteUrl } from '../../rest-bridge/paths.ts';
import { permissionsIn, policiesIn, requireOperation } from '../../rest-bridge/permission.ts';
import { CredentialWatch } from '../../router/credential-watch.ts';
import type { Admission } from '../../router/edge/admission.ts';
import { clientAddress } from '../../router/edge/client-address.ts';
import type { Edge } from '../../router/edge/edge.ts';
import type { Cost } from '../../router/edge/limiter.ts';
import { mountGraphql } from '../../router/http.ts';
import { LiveCaps } from '../../router/live-caps.ts';
import { LocalTransport } from '../../router/local.transport.ts';
import type { MutationsOnceOptions } from '../../router/mutations.once.ts';
import type { RouterObserver } from '../../router/observer.ts';
import { type Challenge, createRouter, type Router } from '../../router/router.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import { mountGraphqlSocket } from '../../router/ws.ts';
import type { Foundation } from './assembly.ts';
import { costsByRoutes, prioritiesByRoutes } from './rate-categories.ts';
import { otherRoutes, restAreas } from './rest-areas.ts';

/** The graph over the subgraphs of this process, and what callers reach it by. */
export interface Surfaces {
  router: Router;
  rewriteUrl(url: string): string;
  mount(app: FastifyInstance, edge: Edge): Promise<void>;
  /** Starts what the surfaces do by themselves. */
  startWork(): void;
  close(): Promise<void>;
}

/** What the surfaces ask of who knows the callers. */
interface CredentialPorts {
  challenge: Challenge;
  onCredentialChange(listener: (subjectId: string) => void): void;
}

const PURGE_MS = 3_600_000;
const NOTHING: Cost = { weight: 0 };

export async function openSurfaces(
  { config, clock, log, metrics, secretKey }: Foundation,
  subgraphs: readonly Subgraph[],
  rows: Rows,
  { challenge, onCredentialChange }: CredentialPorts,
): Promise<Surfaces> {
  const transports = new Map(subgraphs.map((subgraph) => [subgraph.name, new LocalTransport(subgraph)]));
  const supergraphSdl = composeSupergraph(subgraphs);
  const router = await createRouter({ supergraphSdl, transports, log, observer: observerOf(metrics), challenge });
  const idempotency = new SqlIdempotencyStore(rows, new SecretBox(secretKey, 'idempotency'));
  const demands = { permissionOf: permissionsIn(supergraphSdl), hasPolicy: policiesIn(supergraphSdl) };
  const once = { store: idempotency, authorize: authorizer(demands) };
  const routes = restAreas.flatMap((area) => area.routes);
  const costOf = costsByRoutes(routes);
  const priorityOf = prioritiesByRoutes(routes);
  const categoriesOf = (fields: readonly string[]) => costOf({ weight: 0, requests: 0, fields })?.categories ?? {};
  const addressOf = clientAddress(config.trustedProxies);
  const watch = new CredentialWatch<Admission>({ onCredentialChange, log });
  const caps = new LiveCaps();
  const upkeep = new Upkeep({ name: 'rest.idempotency', everyMs: PURGE_MS, log }, (stopping) => idempotency.purge(stopping));
  return {
    router,
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
        areas: restAreas,
        others: otherRoutes,
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
    startWork: () => upkeep.start(),
    async close() {
      await upkeep.stop();
      watch.close();
      await router.close();
    },
  };
}

interface Demands {
  permissionOf(coordinate: string): string | undefined;
  hasPolicy(coordinate: string, policy: 'second_factor' | 'organization'): boolean;
}

/** The rules of an input are those of the subgraph that has the root field. */
const rulesOf =
  (subgraphs: readonly Subgraph[]): InputProblems =>
  async (kind, field, args, principal) => {
    const rootOf = ({ schema }: Subgraph) => (kind === 'query' ? schema.getQueryType() : schema.getMutationType());
    const owner = subgraphs.find((subgraph) => rootOf(subgraph)?.getFields()[field]);
    return owner?.inputProblems?.(kind, field, args, principal) ?? [];
  };

/** Judges root fields of mutations as the bridge does its routes. */
const authorizer =
  ({ permissionOf, hasPolicy }: Demands): MutationsOnceOptions['authorize'] =>
  (fields, principal) => {
    for (const coordinate of fields.map((field) => `Mutation.${field}`)) {
      const [secondFactor, isOrganizationWide] = [hasPolicy(coordinate, 'second_factor'), hasPolicy(coordinate, 'organization')];
      requireOperation({ permission: permissionOf(coordinate), isOrganizationWide, secondFactor }, principal);
    }
  };

const observerOf = ({ graphqlDuration, subgraphFetches, liveSubscriptions }: Metrics): RouterObserver => ({
  operation: ({ type = 'invalid', durationMs, failed }) =>
    graphqlDuration.observe({ type, outcome: failed ? 'error' : 'ok' }, durationMs / 1000),
  fetch: ({ subgraph, failed }) => subgraphFetches.inc({ subgraph, outcome: failed ? 'error' : 'ok' }),
  live: ({ subscribers }) => liveSubscriptions.set(subscribers),
});
