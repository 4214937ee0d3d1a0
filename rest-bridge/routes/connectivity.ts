import { area, del, get, post } from '../route.ts';
import { service } from './services.ts';

/** Internet access and networks (specification 4.4). */
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
      errors: {
        LOCATION_NOT_SERVICEABLE: 'no service is available at the location',
        SERVICE_UNAVAILABLE_AT_LOCATION: 'the technology is not available at the location',
        INSUFFICIENT_BANDWIDTH: 'the maximum bandwidth of the technology at the location is too low',
      },
      description:
        'Coverage and catalog are checked immediately. The new service is pending until it is provisioned. To follow the progress, get the status of the service or wait for the event `service.provisioned`.',
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
    del('cancelInternetService', '/connectivity/internet/{service_id}', 'endService', {
      summary: 'Cancel an internet service',
      errors: { INVALID_STATE: 'the service is already being taken down', SERVICE_MAINTENANCE: 'the service is in maintenance' },
      description: 'The result is the same as that of `DELETE /services/{service_id}` for an internet service.',
      fixed: { type: 'internet' },
      select: service,
    }),
    get('getFiberAvailability', '/connectivity/fiber/availability', 'fiberAvailability', {
      summary: 'Check whether fiber is available at a location',
      description:
        'The result is the same as that of `POST /services/availability/check` for fiber. Availability depends on the ZIP code only, so street and city are optional.',
    }),
  ],
  'Services',
);
