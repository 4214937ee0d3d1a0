import { area, del, get, post, put, view } from '../route.ts';

/** The REST representation of a service, in all areas. The health of a service is in `getServiceStatus` instead. */
export const service = view(
  'Service',
  `{
    id accountId type serviceType catalogId name status statusReason bandwidth
    location sla billingCycle monthlyPrice currency configuration provider provisionedAt createdAt updatedAt
  }`,
);

const catalog = view(
  'ServiceCatalog',
  `{
    categories {
      name description
      services {
        id name description bandwidthOptions slaOptions
        pricing { startingPrice unit currency bandwidthPrices { bandwidth monthlyPrice } slaUplifts { sla percent uptimePercentage } }
      }
    }
  }`,
);

const change = view(
  'ServiceChange',
  `{
    id serviceId kind status statusReason effectiveAt reason dataMigration { required destination verification } requestedBy
    history { from to at reason } completedAt createdAt updatedAt
  }`,
);

const provisioningRequest = view(
  'ProvisioningRequest',
  `{
    id status statusReason missing serviceTemplate customizations deploymentSchedule contacts accountId location sla billingCycle name
    serviceId expectedCompletion steps history createdAt updatedAt
  }`,
);

/** The service catalog and ordered services (specification 4.3). */
export const services = area(
  'Services',
  'The service catalog, availability at a location, and ordered services.',
  [
    get('listServices', '/services', 'services', {
      summary: 'List services',
      description:
        'Lists services of all types, newest first. `location` and `search` match parts of words. `fields` selects the fields in which `search` looks.',
      select: service,
    }),
    get('getService', '/services/{service_id}', 'service', { summary: 'Get a service', omit: ['type'], select: service, addition: true }),
    get('getServiceStatus', '/services/{service_id}/status', 'serviceStatus', {
      summary: 'Get the status of a service',
      resource: 'service',
    }),
    del('decommissionServiceById', '/services/{service_id}', 'endService', {
      summary: 'Decommission a service now',
      errors: { INVALID_STATE: 'the service is already being taken down', SERVICE_MAINTENANCE: 'the service is in maintenance' },
      description:
        'The response contains the service, which is `decommissioning` until the provider has released it; then the event `service.decommissioned` is sent. A service that the provider was not asked for yet is `decommissioned` immediately. A decommission that waits for its date is brought forward.',
      omit: ['type'],
      select: service,
    }),
    post('decommissionService', '/services/{service_id}/decommission', 'decommissionService', {
      summary: 'Decommission a service at a date',
      errors: {
        INVALID_STATE: 'the service is already being taken down',
        SERVICE_MAINTENANCE: 'the service is in maintenance',
        SERVICE_CONFLICT: 'the service already has a decommission, or the destination is not operational or of another type',
      },
      description:
        'Creates a change of the service. Without `decommission_date` it begins immediately. The service is billed until it is decommissioned. `data_migration.destination` is a service of the same type that receives the data. Internet services hold no data, so nothing is copied.',
      nested: { data_migration: 'dataMigration' },
      select: change,
      example: {
        decommission_date: '2026-12-31T23:00:00.000Z',
        data_migration: { required: false, verification: false },
        reason: 'Office closed',
      },
    }),
    get('listServiceChanges', '/services/{service_id}/changes', 'serviceChanges', {
      summary: 'List the changes of a service',
      description:
        'Lists all changes of the service, newest first: changes that wait for their date, changes in progress, and changes that have ended.',
      select: change,
      resource: 'service',
      addition: true,
    }),
    del('cancelServiceChange', '/services/{service_id}/changes/{change_id}', 'cancelServiceChange', {
      summary: 'Cancel a change of a service',
      errors: { INVALID_STATE: 'the change has begun or ended' },
      description: 'Cancels a change that waits for its date. The response contains the cancelled change.',
      select: change,
      addition: true,
    }),
    get('getServiceCatalog', '/services/catalog', 'catalog', { summary: 'Get the service catalog', omit: ['category'], select: catalog }),
    get('getServiceCatalogCategory', '/services/catalog/{category}', 'catalog', {
      summary: 'Get a category of the service catalog',
      select: catalog,
    }),
    get('getServiceAvailability', '/services/availability', 'availabilityByZip', {
      summary: 'Get the services available at a location',
      description:
        'Checks which access technologies reach a location. The result is the same as that of `POST /services/availability/check`. Availability depends on the ZIP code only, so the rest of the address is optional.',
    }),
    post('checkServiceAvailability', '/services/availability/check', 'serviceAvailability', {
      summary: 'Check the services available at a location',
      example: {
        location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
        service_types: ['fiber', 'cable'],
        bandwidth_requirements: '1000mbps',
      },
    }),
    post('provisionService', '/services/provision', 'requestProvisioning', {
      summary: 'Create a provisioning request',
      description:
        'If you send `account_id` and `location`, the service is ordered immediately, or on `deployment_schedule.preferred_date` if that date is later. Until the service is ordered, the request is pending. `missing` lists the fields that you must still supply with `PUT /services/provision/{request_id}`.',
      category: 'provisioning',
      priority: 'high',
      select: provisioningRequest,
      example: {
        service_template: 'business_fiber',
        customizations: { bandwidth: '1000mbps', redundancy: true, monitoring: true },
        contacts: { technical: 'noc@acme.example.com', billing: 'accounts@acme.example.com' },
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
        sla: 'enterprise',
        billing_cycle: 'monthly',
      },
    }),
    get('listProvisioningRequests', '/services/provision', 'provisioningRequests', {
      summary: 'List provisioning requests',
      select: provisioningRequest,
      addition: true,
    }),
    get('getProvisionStatus', '/services/provision/{request_id}/status', 'provisioningRequest', {
      summary: 'Get the status of a provisioning request',
      description: 'The response contains the `steps` of the request and the `history` of its status.',
      select: provisioningRequest,
    }),
    put('updateProvisioningRequest', '/services/provision/{request_id}', 'updateProvisioningRequest', {
      summary: 'Update a provisioning request',
      errors: { INVALID_STATE: 'the request is no longer pending' },
      description: 'Supplies missing fields or changes other fields while the request is pending. Omit a field to keep its value.',
      select: provisioningRequest,
      addition: true,
      example: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
      },
    }),
    del('cancelProvisioningRequest', '/services/provision/{request_id}', 'cancelProvisioningRequest', {
      summary: 'Cancel a provisioning request',
      errors: { INVALID_STATE: 'the request is no longer pending' },
      description: 'Only a pending request can be cancelled.',
      select: provisioningRequest,
      addition: true,
    }),
  ],
  'Services',
);
