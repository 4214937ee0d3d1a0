import { eventually } from './rig.ts';
import { minutesPass, serviceThatIs } from './services.setup.ts';
import type { Json, Tenant } from './tenant.ts';

/** Opens an incident as a caller. */
export async function openIncident(tenant: Tenant, more: object = {}): Promise<Json> {
  const { status, body } = await tenant.rest('POST', '/monitoring/incidents', { body: { title: 'Slow lines', ...more } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

export const incidentOf = async (tenant: Tenant, id: string): Promise<Json> =>
  (await tenant.rest('GET', `/monitoring/incidents/${id}`)).body.data;

/** Returns the incidents that affect a service, newest first. */
export const incidentsOf = async (tenant: Tenant, serviceId: string): Promise<Json[]> =>
  (await tenant.rest('GET', `/monitoring/incidents?service_id=${serviceId}`)).body.data;

/** Waits until the newest incident of a service satisfies `fits`, and returns it. */
export const incidentThat = (tenant: Tenant, serviceId: string, fits: (incident: Json) => boolean = () => true): Promise<Json> =>
  eventually(async () => {
    const [incident] = await incidentsOf(tenant, serviceId);
    return incident && fits(incident) && incident;
  });

/** Orders a service whose name contains a word that selects a fault, such as `SIM-DOWN`, and waits until its incident is open. */
export async function failingService(tenant: Tenant, accountId: string, word = 'SIM-DOWN', more: object = {}) {
  const service = await serviceThatIs('operational', tenant, accountId, { name: `Branch ${word}`, ...more });
  await minutesPass(3, tenant, service.id);
  return { service, incident: await incidentThat(tenant, service.id) };
}

/** Renames a service, so that its simulated fault ends, and waits until the service works again. */
export async function mend(tenant: Tenant, id: string): Promise<void> {
  await tenant.rest('PUT', `/services/${id}`, { body: { name: 'Mended' } });
  await minutesPass(3, tenant, id);
  await eventually(async () => (await tenant.rest('GET', `/services/${id}`)).body.data.status === 'operational');
}
