import { PlatformError } from '../../../kernel/errors/errors.ts';
import { formatBandwidth } from './bandwidth.ts';
import type { ServiceLocation } from './location.ts';
import type { AccessTechnology, Reach } from './technology.ts';

/** 400: nothing of ours reaches the location (specification 7). */
export class LocationNotServiceable extends PlatformError {
  constructor(location: ServiceLocation) {
    super('LOCATION_NOT_SERVICEABLE', `No service reaches ${inWords(location)}. Check the ZIP code, or try another location.`, {
      location: plain(location),
    });
  }
}

/** 400: the wanted technology does not reach the location; `alternatives` says what does, and whether it is fast enough. */
export class ServiceUnavailableAtLocation extends PlatformError {
  constructor(wanted: AccessTechnology, mbps: number, location: ServiceLocation, reaches: readonly Reach[]) {
    const alternatives = reaches.map(({ technology, maxMbps }) => ({
      service_type: technology,
      available: maxMbps >= mbps,
      bandwidth: formatBandwidth(maxMbps),
    }));
    const others = reaches.map(({ technology }) => technology).join(', ');
    super('SERVICE_UNAVAILABLE_AT_LOCATION', `${wanted} does not reach ${inWords(location)}. What does: ${others}.`, {
      service_type: wanted,
      location: plain(location),
      alternatives,
    });
  }
}

/** 400: the technology reaches the location and carries less there. */
export class InsufficientBandwidth extends PlatformError {
  constructor(technology: AccessTechnology, mbps: number, location: ServiceLocation, maxMbps: number) {
    const [requested, available] = [formatBandwidth(mbps), formatBandwidth(maxMbps)];
    super('INSUFFICIENT_BANDWIDTH', `${technology} carries at most ${available} at ${inWords(location)}. Order that or less.`, {
      service_type: technology,
      location: plain(location),
      requested,
      available,
    });
  }
}

const inWords = ({ city, state, zip }: ServiceLocation): string => `${city}, ${state} ${zip}`;
const plain = ({ address, city, state, zip }: ServiceLocation): object => ({ address, city, state, zip });
