import { z } from 'zod';
import { formatBandwidth } from '../../coverage/bandwidth.ts';
import { type AccessTechnology, TECHNOLOGIES } from '../../coverage/technology.ts';
import { ServiceType } from '../../inventory/service.states.ts';
import { defineProduct } from '../product.ts';
import { internetOrder } from './internet.inputs.ts';
import { InternetLine } from './internet.types.ts';
import { MONITORING, monitoringLevel } from './monitoring.ts';

const configuration = z.strictObject({
  /** Whether a second, independent access line is built. */
  redundancy: z.boolean().optional(),
  /** Level of monitoring with which the provider watches the line, to repair it proactively. */
  monitoring: z.literal(MONITORING).optional(),
});

/** Internet access at a street address. */
export const internet = defineProduct<z.infer<typeof configuration>>({
  type: ServiceType.INTERNET,
  detail: InternetLine,
  order: internetOrder,
  hasLocation: true,
  serviceTypes: { of: 'internet access', values: TECHNOLOGIES },
  configuration,
  async check({ serviceType, bandwidthMbps, location }, { coverage }) {
    if (location) await coverage.check(serviceType as AccessTechnology, bandwidthMbps ?? 0, location);
  },
  spec({ serviceType, bandwidthMbps, sla, features, location, configuration: { redundancy, monitoring } }) {
    const level = monitoringLevel(monitoring);
    return {
      characteristics: {
        accessTechnology: serviceType,
        ...(bandwidthMbps !== null && { bandwidth: formatBandwidth(bandwidthMbps) }),
        ...(sla && { serviceLevel: sla }),
        ...(redundancy && { redundancy }),
        ...(level && { monitoring: level }),
        ...(features.length > 0 && { features }),
      },
      places: location ? [{ role: 'installation', id: null, ...location }] : [],
    };
  },
});
