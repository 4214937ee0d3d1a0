import { area, del, get, post, put, view } from '../route.ts';

/** The REST representation of a service in every operation that returns services. `getServiceStatus` returns the health of a service. */
export const service = view(
  'Service',
  `{
    id accountId type serviceType catalogId name status statusReason bandwidth
    location sla priority billingCycle monthlyPrice currency features configuration contacts { technical billing } provider
    quoteId termMonths oneTimeFee pendingChanges { id kind status effectiveAt changes priceDifference } revision provisionedAt createdAt updatedAt
  }`,
);

export const quote = view(
  'Quote',
  `{
    id accountId status billingCycle termMonths discountPercent monthlyTotal oneTimeTotal currency validUntil
    lines {
      position catalogId serviceType bandwidth sla users features location available error { code message details } monthlyPrice oneTimePrice
      serviceId
    }
    createdAt updatedAt
  }`,
);

/**
 * Maps the options of a provisioning request to REST names. The GraphQL field `options`, for all kinds of service, is called
 * `customizations` in REST. The GraphQL field `customizations`, only for internet lines, is omitted in REST.
 */
const customizations = {
  names: { customizations: 'options', internet_customizations: 'customizations' },
  omit: ['internet_customizations'],
} as const;

/** Errors of all operations that change a service. */
export const changeErrors = {
  INVALID_STATE: 'the service is not in service',
  SERVICE_MAINTENANCE: 'the service is in maintenance',
  SERVICE_CONFLICT: 'a feature requires another feature that is not switched on, or the service has too many changes that have not ended',
} as const;
export const orderErrors = {
  LOCATION_NOT_SERVICEABLE: 'no service is available at the location',
  SERVICE_UNAVAILABLE_AT_LOCATION: 'the technology is not available at the location',
  INSUFFICIENT_BANDWIDTH: 'the maximum bandwidth of the technology at the location is too low',
} as const;
const requestErrors = {
  ...orderErrors,
  ACCOUNT_SUSPENDED: 'the account is suspended',
  SERVICE_CONFLICT:
    'a feature requires another feature that is not switched on, the request differs from its quote, or the line of the quote is already ordered',
} as const;
const PENDING =
  'A change that the provider must make is in `pending_changes` until it is applied. When it is applied, the event `service.modified` is sent. Other changes are applied immediately.';

const catalog = view(
  'ServiceCatalog',
  `{
    categories {
      name description
      services {
        id name description orderable serviceType bandwidthOptions slaOptions
        pricing { startingPrice installationFee unit currency bandwidthPrices { bandwidth monthlyPrice } slaUplifts { sla percent uptimePercentage } }
        features { name description monthlyPrice perUnit needs }
      }
    }
  }`,
);

const change = view(
  'ServiceChange',
  `{
    id serviceId kind status statusReason effectiveAt changes priceDifference maintenanceWindow { id start end description impact status } reason dataMigration { required destination verification } requestedBy
    history { from to at reason } completedAt createdAt updatedAt
  }`,
);

const provisioningRequest = view(
  'ProvisioningRequest',
  `{
    id status statusReason missing serviceTemplate customizations: options features deploymentSchedule contacts accountId location sla
    billingCycle name quoteId quoteLine serviceId expectedCompletion steps history createdAt updatedAt
  }`,
);

const bulk = view(
  'Bulk',
  `{
    id accountId kind status statusReason parallel rollbackOnFailure
    counts { total pending inProgress built completed failed skipped releasing released }
    leftovers items { position status serviceId changeId error { code message details } } requestedBy createdAt updatedAt finishedAt
  }`,
);

const bulkStatus = view(
  'BulkStatusReport',
  `{
    bulk {
      id accountId kind status statusReason parallel rollbackOnFailure
      counts { total pending inProgress built completed failed skipped releasing released }
      leftovers requestedBy createdAt updatedAt finishedAt
    }
    services { serviceId status statusReason itemStatus changeId error { code message details } updatedAt }
  }`,
);

/** REST routes of the service catalog and ordered services (specification 4.3). */
export const services = area(
  'Services',
  'The service catalog, availability at a location, and ordered services.',
  [
    get('listServices', '/services', 'services', {
      summary: 'List services',
      description:
        'Lists services of all types, newest first. `location` and `search` (or its other name `q`) match parts of words. `fields` selects the fields in which `search` looks. `category` is a category of the catalog.',
      select: service,
    }),
    post('createService', '/services', 'orderCatalogService', {
      summary: 'Order a service of the catalog',
      errors: { ...orderErrors, SERVICE_CONFLICT: 'a feature requires another feature that is not switched on' },
      description:
        'Orders any catalog service that is `orderable`. The operations of a product, such as `POST /connectivity/internet`, create the same records. The new service is pending until it is provisioned.',
      category: 'provisioning',
      select: service,
      example: {
        catalog_id: 'business_fiber',
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        bandwidth: '500mbps',
        location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
        features: ['static_ip'],
      },
    }),
    get('getService', '/services/{service_id}', 'service', { summary: 'Get a service', omit: ['type'], select: service, addition: true }),
    get('getServiceStatus', '/services/{service_id}/status', 'serviceStatus', {
      summary: 'Get the status of a service',
      resource: 'service',
    }),
    get('getServiceMetrics', '/services/{service_id}/metrics', 'serviceMetrics', {
      summary: 'Get the metrics of a service',
      description:
        'Gets the status of a service and its measurements in a period. `summary` contains figures about the whole period. `series` contains averages for at most 400 intervals. An interval without a measurement contains nulls.',
      resource: 'service',
    }),
    get('getServiceHealth', '/services/{service_id}/health', 'serviceHealth', {
      summary: 'Get the health of a service',
      description: 'Gets the status of a service, and the reason for each health check that is not healthy.',
      resource: 'service',
    }),
    get('getServiceAnalytics', '/services/{service_id}/analytics', 'serviceAnalytics', {
      summary: 'Get the analytics of a service',
      description:
        'Gets the usage, costs and trends of a service in a period. All figures are computed from the stored measurements and from the present price of the service.',
      resource: 'service',
    }),
    get('getServicesAnalyticsSummary', '/services/analytics/summary', 'servicesSummary', {
      summary: 'Get a summary of all services',
      description:
        'Gets counts, monthly prices, uptime and traffic of all services that you can access, or of the services of one account.',
    }),
    put('updateService', '/services/{service_id}', 'updateService', {
      summary: 'Update a service',
      errors: { ...changeErrors, INSUFFICIENT_BANDWIDTH: orderErrors.INSUFFICIENT_BANDWIDTH },
      description: `Changes terms of the service, such as its name, bandwidth or service level. Omit a field to keep its value. ${PENDING}`,
      omit: ['type'],
      select: service,
      example: { bandwidth: '1000mbps', sla: 'business' },
    }),
    put('updateServiceConfiguration', '/services/{service_id}/configuration', 'updateServiceConfiguration', {
      summary: 'Update the configuration of a service',
      errors: changeErrors,
      description: `Changes settings that are specific to the kind of service. Settings that you omit stay; null removes a setting. ${PENDING}`,
      select: service,
      example: { configuration: { monitoring: true } },
    }),
    put('scaleService', '/services/{service_id}/scaling', 'scaleService', {
      summary: 'Scale a service',
      errors: {
        ...changeErrors,
        INSUFFICIENT_BANDWIDTH: orderErrors.INSUFFICIENT_BANDWIDTH,
        SERVICE_CONFLICT: 'another scaling of the service waits for its date, or the service has too many changes that have not ended',
      },
      description:
        'Makes a service larger or smaller, now or at `effective_date`. The price at the time of this request is agreed. The service is billed with its present size until the change is applied.',
      select: change,
      example: { scaling_action: 'scale_up', new_bandwidth: '2000mbps' },
    }),
    put('updateServiceFeatures', '/services/{service_id}/features', 'updateServiceFeatures', {
      summary: 'Switch features of a service on or off',
      errors: changeErrors,
      description: `Switches features of a service on or off. The catalog contains the features and their prices. ${PENDING}`,
      select: service,
      example: { features: { static_ip: true } },
    }),
    del('decommissionServiceById', '/services/{service_id}', 'endService', {
      summary: 'Decommission a service now',
      errors: { INVALID_STATE: 'the service is already being taken down', SERVICE_MAINTENANCE: 'the service is in maintenance' },
      description:
        'Takes a service down now. The service is `decommissioning` until the provider has released it. After the release, the event `service.decommissioned` is sent. If the provider has not received the order of the service yet, the service is `decommissioned` immediately. If a decommission is already scheduled for a later date, it begins now instead.',
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
        'Creates a change that takes a service down. The change begins at `decommission_date`, or immediately if you omit this field. The service is billed until it is decommissioned. `data_migration.destination` is a service of the same type that receives the data. Internet services hold no data, so nothing is copied.',
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
    post('createServiceQuote', '/services/quotes', 'createQuote', {
      summary: 'Create a quote',
      errors: { ACCOUNT_SUSPENDED: 'the account is suspended' },
      description:
        'Creates a quote with the prices of up to 100 services. The prices are guaranteed for 30 days. An order with `quote_id` gets the quoted price once for each line, even if the catalog has changed. A line that cannot be ordered has `available: false` and the error that an order would return. The totals do not include it.',
      select: quote,
      example: {
        services: [
          { type: 'fiber', bandwidth: '1000mbps', location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' } },
        ],
        billing_preferences: { cycle: 'monthly', term: '36_months' },
      },
    }),
    get('getServiceQuote', '/services/quotes/{quote_id}', 'quote', { summary: 'Get a quote', select: quote }),
    get('getServiceCatalog', '/services/catalog', 'catalog', { summary: 'Get the service catalog', omit: ['category'], select: catalog }),
    get('getServiceCatalogCategory', '/services/catalog/{category}', 'catalog', {
      summary: 'Get a category of the service catalog',
      description: 'Gets the services of one category of the catalog, with their prices.',
      select: catalog,
    }),
    get('getServiceAvailability', '/services/availability', 'availabilityByZip', {
      summary: 'Get the services available at a location',
      description:
        'Checks which access technologies reach a location. The result is the same as the result of `POST /services/availability/check`. Availability depends on the ZIP code only, so the rest of the address is optional.',
    }),
    post('checkServiceAvailability', '/services/availability/check', 'serviceAvailability', {
      summary: 'Check the services available at a location',
      example: {
        location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
        service_types: ['fiber', 'cable'],
        bandwidth_requirements: '1000mbps',
      },
    }),
    post('bulkProvisionServices', '/services/bulk/provision', 'provisionInBulk', {
      summary: 'Order up to 100 services at once',
      description:
        'Orders up to 100 services in one transaction. If `rollback_on_failure` is false, an item that cannot be ordered gets the status `failed`, and the other services are ordered. If it is true, a request with an item that cannot be ordered is refused with 400, and the error lists all items that cannot be ordered. The services become operational together when all of them are built. If one of them cannot be built, all services are released. To follow the progress, call `POST /services/bulk/status` with `bulk_id`, or wait for the event `bulk.finished`.',
      category: 'provisioning',
      priority: 'low',
      select: bulk,
      example: {
        services: [
          {
            template: 'business_fiber',
            location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
            customizations: { bandwidth: '500mbps', redundancy: true },
          },
        ],
        orchestration: { parallel: true, rollback_on_failure: true },
      },
    }),
    post('bulkModifyServices', '/services/bulk/modify', 'changeInBulk', {
      summary: 'Change up to 100 services at once',
      description:
        'Changes up to 100 services. Send either `service_ids` with the same new terms for all, or `services` with the new terms of each service. Each item contains its change, or the error if the service cannot be changed.',
      priority: 'low',
      select: bulk,
      example: { service_ids: ['svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G'], bandwidth: '1000mbps' },
    }),
    post('getBulkServiceStatus', '/services/bulk/status', 'bulkServiceStatus', {
      summary: 'Get the status of many services or of a bulk',
      description:
        'Gets the status of up to 100 services, or of all services of a bulk. Send either `service_ids` or `bulk_id`. The entries have the order of the request. The entry of a service that does not exist contains an `error`.',
      priority: 'low',
      select: bulkStatus,
      resource: 'bulk',
      example: { service_ids: ['svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G'] },
    }),
    post('provisionService', '/services/provision', 'requestProvisioning', {
      summary: 'Create a provisioning request',
      description:
        'Requests any catalog service that is `orderable`. The request is checked like an order. If nothing is missing, the service is ordered immediately, or on `deployment_schedule.preferred_date` if that date is later. Until the service is ordered, the request is pending. `missing` lists what you must still supply with `PUT /services/provision/{request_id}`: `location`, or fields of `customizations`. With `quote_id`, the service gets the quoted price. The line of the quote is not reserved until the preferred date. If the quote is not valid on that date, or its line is already ordered, the request fails with this reason.',
      errors: { ...requestErrors, INVALID_STATE: 'the account is closed, or the quote is not pending' },
      ...customizations,
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
      description: 'Gets a provisioning request with its `steps` and the `history` of its status.',
      select: provisioningRequest,
    }),
    put('updateProvisioningRequest', '/services/provision/{request_id}', 'updateProvisioningRequest', {
      summary: 'Update a provisioning request',
      errors: { ...requestErrors, INVALID_STATE: 'the request or its quote is no longer pending, or the account is closed' },
      description:
        'Changes a pending provisioning request: supplies missing fields or changes other fields. Omit a field to keep its value. The whole request is checked again.',
      ...customizations,
      select: provisioningRequest,
      addition: true,
      example: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
      },
    }),
    del('cancelProvisioningRequest', '/services/provision/{request_id}', 'cancelProvisioningRequest', {
      summary: 'Cancel a provisioning request',
      errors: { INVALID_STATE: 'the request has ended, or is already being cancelled' },
      description:
        'Cancels a provisioning request. A pending request is cancelled immediately. If its service is already ordered, the service is taken down: the request stays `in_progress` until the provider has released the service. After that, the request is `cancelled`. If the provider refuses, the request is `failed`.',
      select: provisioningRequest,
      addition: true,
    }),
  ],
  'Services',
);
