import { send } from './metrics.setup.ts';
import { eventually, rig } from './rig.ts';
import { rows } from './support/tables.ts';
import type { Json, Tenant } from './tenant.ts';

export const MINUTE_MS = 60_000;

/** Creates an alert on the last value of the metric `load`. It fires above 10, and resolves immediately. */
export async function createAlert(tenant: Tenant, more: object = {}): Promise<Json> {
  const given = { name: 'High load', metric: 'load', aggregation: 'last', condition: 'above', threshold: 10, recover_for_seconds: 0 };
  const { status, body } = await tenant.rest('POST', '/monitoring/alerts', { body: { ...given, ...more } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

export const alertOf = async (tenant: Tenant, id: string): Promise<Json> =>
  (await tenant.rest('GET', `/monitoring/alerts/${id}`)).body.data;

/** Moves the clock, and waits until all alerts of the organization are evaluated at the new time. Returns the alert with this id. */
export async function pass(tenant: Tenant, id: string, ms = MINUTE_MS): Promise<Json> {
  const { clock, advance } = await rig();
  const since = new Date(clock.now().getTime() + ms);
  await advance(ms);
  await eventually(async () => {
    const waiting = await (await rows()).query(
      `select 1 as "one" from "monitoring"."alert" where "organization_id" = $1 and ("evaluated_at" is null or "evaluated_at" < $2) limit 1`,
      [tenant.organizationId, since],
    );
    return waiting.length === 0;
  });
  return alertOf(tenant, id);
}

/** Records a value of the metric `load`, and moves the clock by a minute. Returns the alert after its evaluation. */
export async function measured(tenant: Tenant, id: string, value: number, more: object = {}): Promise<Json> {
  await send(tenant, 'load', [[0, value]], more);
  return pass(tenant, id);
}

/** Returns the states that an alert has had, oldest first, such as `OK PENDING FIRING`. */
export async function historyOf(tenant: Tenant, id: string): Promise<string[]> {
  const query = 'query ($id: ID!) { alert(id: $id) { transitions { from to } } }';
  const { data } = await tenant.graphql(query, { id });
  const all: Json[] = data.alert.transitions.toReversed();
  return [...all.slice(0, 1).map(({ from }) => from), ...all.map(({ to }) => to)];
}

/** Returns the name and data of the events about an alert, oldest first. */
export async function eventsOf(tenant: Tenant, id: string): Promise<[string, Json][]> {
  const query = 'query ($id: ID!) { events(filter: { subjectId: [$id] }, page: { limit: 200 }) { nodes { event payload } } }';
  const { data } = await tenant.graphql(query, { id });
  return data.events.nodes
    .toReversed()
    .map(({ event, payload }: Json) => [event, (typeof payload === 'string' ? JSON.parse(payload) : payload).data]);
}

/** Waits until an alert has a given number of events of one type, and returns their data. */
export const eventsThat = (tenant: Tenant, id: string, name: string, count: number): Promise<Json[]> =>
  eventually(async () => {
    const found = (await eventsOf(tenant, id)).filter(([event]) => event === name).map(([, data]) => data);
    return found.length === count && found;
  });
