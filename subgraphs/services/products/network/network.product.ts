import { z } from 'zod';
import type { FieldProblem } from '../../../../kernel/errors/errors.ts';
import { orNotFound } from '../../../../kernel/records/records.ts';
import { formatBandwidth } from '../../coverage/bandwidth.ts';
import { isInService, ServiceType } from '../../inventory/service.states.ts';
import { SampleState } from '../../samples/sample.ts';
import { defineProduct, type ProductReads } from '../product.ts';
import { UnsuitableAccessLine } from './network.errors.ts';
import { networkOrder } from './network.inputs.ts';
import { Network } from './network.types.ts';
import { MAX_LOCATIONS, MIN_LOCATIONS, NetworkTopology, NetworkType, SITE_ID, SiteRole } from './network.values.ts';

const location = z.strictObject({
  id: z.string().regex(SITE_ID, 'must have 1 to 64 letters, digits, hyphens and underscores'),
  address: z.string().min(1, 'must have 1 to 500 characters').max(500, 'must have 1 to 500 characters'),
  role: z.enum(SiteRole).nullish(),
  service_id: z.string().nullish(),
});
const configuration = z.strictObject({
  topology: z.enum(NetworkTopology),
  redundancy: z.boolean().optional(),
  locations: z.array(location).min(MIN_LOCATIONS, COUNT()).max(MAX_LOCATIONS, COUNT()),
});
export type NetworkConfiguration = z.infer<typeof configuration>;

function COUNT(): string {
  return `must have ${MIN_LOCATIONS} to ${MAX_LOCATIONS} entries`;
}

/** A private network between sites. Each site is billed as one unit. */
export const network = defineProduct<NetworkConfiguration>({
  type: ServiceType.NETWORK,
  detail: Network,
  order: networkOrder,
  hasLocation: false,
  serviceTypes: { of: 'networks', values: Object.values(NetworkType) },
  configuration,
  requiredSettings: { topology: 'How the sites of the network are connected.', locations: 'The sites of the network.' },
  quantities: { minimum: MIN_LOCATIONS, maximum: MAX_LOCATIONS },
  quantityOf: ({ locations }) => locations.length,
  problems: (settings) => [...repeatedIds(settings), ...topologyProblems(settings)],
  check: ({ accountId, configuration: { locations } }, { services }) => checkAccessLines(locations, accountId, services),
  spec({ serviceType, bandwidthMbps, sla, features, configuration: { topology, redundancy, locations } }) {
    return {
      characteristics: {
        networkType: serviceType,
        topology,
        ...(bandwidthMbps !== null && { bandwidth: formatBandwidth(bandwidthMbps) }),
        ...(sla && { serviceLevel: sla }),
        ...(redundancy && { redundancy }),
        ...(features.length > 0 && { features }),
      },
      places: locations.map(({ id, address, role }) => ({ role: role ?? 'site', id, address, city: null, state: null, zip: null })),
    };
  },
  stateOfSites: stateOfNetwork,
});

/**
 * Returns the state of a network. The network is down if no two sites can reach each other: fewer than two sites work, or no hub of a
 * network with hubs works. It is degraded if a site is down or degraded.
 */
function stateOfNetwork(sites: ReadonlyMap<string, SampleState>, { topology, locations }: NetworkConfiguration): SampleState {
  const states = locations.map(({ id, role }) => ({ role, state: sites.get(id) ?? SampleState.DOWN }));
  const working = states.filter(({ state }) => state !== SampleState.DOWN);
  const isDown = working.length < 2 || (topology === NetworkTopology.HUB_AND_SPOKE && !working.some(({ role }) => role === SiteRole.HUB));
  if (isDown) return SampleState.DOWN;
  return states.every(({ state }) => state === SampleState.UP) ? SampleState.UP : SampleState.DEGRADED;
}

type Locations = NetworkConfiguration['locations'];

function repeatedIds({ locations }: NetworkConfiguration): FieldProblem[] {
  const seen = new Set<string>();
  return locations.flatMap(({ id }, index) => {
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated ? [{ field: `locations.${index}.id`, value: id, reason: 'is used twice' }] : [];
  });
}

/**
 * Lists why the sites do not fit the topology. Hub and spoke needs a role for each site, with at least one hub and one
 * spoke. Point to point needs exactly two sites, and a ring at least three.
 */
function topologyProblems({ topology, locations }: NetworkConfiguration): FieldProblem[] {
  const count = locations.length;
  if (topology === NetworkTopology.POINT_TO_POINT && count !== 2)
    return [{ field: 'locations', reason: 'must have 2 entries for point_to_point' }];
  if (topology === NetworkTopology.RING && count < 3) return [{ field: 'locations', reason: 'must have at least 3 entries for a ring' }];
  if (topology !== NetworkTopology.HUB_AND_SPOKE) return [];
  const missing = locations.flatMap(({ role }, index) =>
    role ? [] : [{ field: `locations.${index}.role`, reason: 'is required for hub_and_spoke' }],
  );
  const absent = Object.values(SiteRole).filter((role) => !locations.some((site) => site.role === role));
  if (missing.length > 0 || absent.length === 0) return missing;
  return [{ field: 'locations', reason: `must contain a ${absent.join(' and a ')} for hub_and_spoke` }];
}

/**
 * Checks the services that connect the sites of a network. Each must belong to the account of the network, be in service,
 * and not be a network itself.
 * @throws ResourceNotFound, UnsuitableAccessLine
 */
async function checkAccessLines(locations: Locations, accountId: string | null, services: ProductReads['services']): Promise<void> {
  const ids = locations.flatMap(({ service_id: id }) => (id ? [id] : []));
  if (ids.length === 0) return;
  const lines = await services(ids);
  for (const id of ids) {
    const line = orNotFound(
      lines.find((one) => one.id === id),
      'service',
      id,
    );
    if (accountId !== null && line.accountId !== accountId) throw new UnsuitableAccessLine(line, 'it belongs to another account');
    if (line.type === ServiceType.NETWORK) throw new UnsuitableAccessLine(line, 'it is a network');
    if (!isInService(line.status)) throw new UnsuitableAccessLine(line, `it is ${line.status}`);
  }
}
