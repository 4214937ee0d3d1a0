import { area, del, get, post, put, view } from '../route.ts';
import { changeErrors, orderErrors, quote, service } from './services.ts';

const coverageMap = view(
  'CoverageMap',
  '{ type features { id type geometry { type coordinates } properties { zipPrefix city state technology maxMbps } } }',
);

const network = view(
  'Network',
  `{
    id accountId networkType topology name status statusReason bandwidth redundancy locations { id address role serviceId }
    sla billingCycle monthlyPrice currency features pendingChanges { id kind status effectiveAt changes priceDifference } revision
    provisionedAt createdAt updatedAt
  }`,
);

/** REST routes of internet access and networks (specification 4.4). */
export const connectivity = area(
  'Connectivity',
  'Internet access and networks between sites.',
  [
    get('listInternetServices', '/connectivity/internet', 'services', {
      summary: 'List internet services',
      description: 'Lists the internet services, newest first.',
      fixed: { type: ['internet'] },
      select: service,
    }),
    post('orderInternetService', '/connectivity/internet', 'orderInternetService', {
      summary: 'Order an internet service',
      errors: orderErrors,
      description:
        'Orders an internet service. Coverage and catalog are checked immediately. The new service is pending until it is provisioned. To follow the progress, get the status of the service or wait for the event `service.provisioned`.',
      category: 'provisioning',
      select: service,
      example: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        service_type: 'fiber',
        bandwidth: '1000mbps',
        location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
        sla: 'enterprise',
        billing_cycle: 'monthly',
      },
    }),
    get('getInternetService', '/connectivity/internet/{service_id}', 'service', {
      summary: 'Get an internet service',
      fixed: { type: 'internet' },
      select: service,
    }),
    put('updateInternetService', '/connectivity/internet/{service_id}', 'updateService', {
      summary: 'Update an internet service',
      errors: { ...changeErrors, INSUFFICIENT_BANDWIDTH: orderErrors.INSUFFICIENT_BANDWIDTH },
      description: 'Changes terms of an internet service, like `PUT /services/{service_id}`. Omit a field to keep its value.',
      fixed: { type: 'internet' },
      select: service,
      example: { bandwidth: '1000mbps' },
    }),
    del('cancelInternetService', '/connectivity/internet/{service_id}', 'endService', {
      summary: 'Cancel an internet service',
      errors: { INVALID_STATE: 'the service is already being taken down', SERVICE_MAINTENANCE: 'the service is in maintenance' },
      description: 'Takes an internet service down now, like `DELETE /services/{service_id}`.',
      fixed: { type: 'internet' },
      select: service,
    }),
    get('listNetworks', '/connectivity/networks', 'networks', {
      summary: 'List networks',
      description: 'Lists the networks, newest first.',
      omit: ['type'],
      select: network,
    }),
    post('deployNetwork', '/connectivity/networks', 'deployNetwork', {
      summary: 'Order a network',
      errors: {
        ACCOUNT_SUSPENDED: 'the account is suspended',
        SERVICE_CONFLICT: 'a feature requires another feature that is not switched on, or a service cannot connect a site',
      },
      description:
        'Orders a network of 2 to 200 sites. Each site is billed. The new network is pending until it is provisioned. A network is a service: its id works in all operations on services.',
      category: 'provisioning',
      resource: 'service',
      select: network,
      example: {
        network_type: 'mpls',
        topology: 'hub_and_spoke',
        locations: [
          { id: 'loc_hq', address: '350 Fifth Avenue', role: 'hub' },
          { id: 'loc_branch', address: '1 Main Street', role: 'spoke' },
        ],
        bandwidth: '500mbps',
        redundancy: true,
      },
    }),
    get('getNetwork', '/connectivity/networks/{network_id}', 'network', { summary: 'Get a network', resource: 'service', select: network }),
    put('updateNetwork', '/connectivity/networks/{network_id}', 'updateNetwork', {
      summary: 'Update a network',
      errors: changeErrors,
      description:
        'Changes sites, topology, bandwidth and other terms of a network. Omit a field to keep its value. `locations` replaces all sites. A change that the provider must make is in `pending_changes` until it is applied. When it is applied, the event `service.modified` is sent.',
      resource: 'service',
      select: network,
      example: {
        bandwidth: '1gbps',
        locations: [
          { id: 'loc_hq', address: '350 Fifth Avenue', role: 'hub' },
          { id: 'loc_branch', address: '1 Main Street', role: 'spoke' },
          { id: 'loc_warehouse', address: '20 Dock Road', role: 'spoke' },
        ],
      },
    }),
    post('createFiberQuote', '/connectivity/fiber/quote', 'createFiberQuote', {
      summary: 'Create a quote for a fiber line',
      errors: {
        ...orderErrors,
        ACCOUNT_SUSPENDED: 'the account is suspended',
        SERVICE_CONFLICT: 'a feature requires another feature that is not switched on',
      },
      description:
        'Creates a quote for one fiber line. To get the quote again, call `GET /services/quotes/{quote_id}`. A term of 24 months or more has no installation fee.',
      select: quote,
      example: { location: { zip: '10118' }, bandwidth: '1000mbps', billing_preferences: { term: '36_months' } },
    }),
    get('getFiberAvailability', '/connectivity/fiber/availability', 'fiberAvailability', {
      summary: 'Check whether fiber is available at a location',
      description:
        'Checks whether fiber reaches a location, and with how much bandwidth. The result is the same as the result of `POST /services/availability/check` for fiber. Availability depends on the ZIP code only, so street and city are optional.',
    }),
    get('listFiberProviders', '/connectivity/fiber/providers', 'carriers', {
      summary: 'List fiber providers',
      description:
        'Lists the carriers with fiber, sorted by name, with their areas, technologies, highest bandwidths and service levels. With `zip`, lists only carriers that have fiber in the area of this ZIP code. Carriers with `initial: true` are fictional.',
      fixed: { technology: ['fiber'] },
    }),
    get('getFiberCoverage', '/connectivity/fiber/coverage', 'coverage', {
      summary: 'Get the coverage map',
      description:
        'Gets the areas in which fiber is available, as GeoJSON (RFC 7946). To get the areas of other technologies, send `technology`. `data` is a FeatureCollection. The outlines are approximate service areas. The ZIP code decides whether a service can be ordered, so check a location with `GET /services/availability`. The response has at most 500 areas. If there are more, the response is 400; repeat the request with a smaller `bbox`.',
      select: coverageMap,
    }),
  ],
  'Services',
);
