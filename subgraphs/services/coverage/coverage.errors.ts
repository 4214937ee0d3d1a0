import { PlatformError } from '../../../kernel/errors/errors.ts';
import { formatBandwidth } from './bandwidth.ts';
import type { ServiceLocation } from './location.ts';
import type { AccessTechnology, Reach } from './technology.ts';

/** 400: no technology is available at the location (specification 7). */
export class LocationNotServiceable extends PlatformError {
  constructor(location: ServiceLocation) {
    super('LOCATION_NOT_SERVICEABLE', `No service is available at ${inWords(location)}. Check the ZIP code, or try another location.`, {
      location: plain(location),
    });
  }
}

/**
 * 400: the requested technology is not available at the location. `alternatives` lists the technologies that are
 * available at the location, and states for each whether its bandwidth is sufficient.
 */
export class ServiceUnavailableAtLocation extends PlatformError {
  constructor(wanted: AccessTechnology, mbps: number, location: ServiceLocation, reaches: readonly Reach[]) {
    const alternatives = reaches.map(({ technology, maxMbps }) => ({
      service_type: technology,
      available: maxMbps >= mbps,
      bandwidth: formatBandwidth(maxMbps),
    }));
    const others = reaches.map(({ technology }) => technology).join(', ');
    super('SERVICE_UNAVAILABLE_AT_LOCATION', `${wanted} is not available at ${inWords(location)}. Available there: ${others}.`, {
      service_type: wanted,
      location: plain(location),
      alternatives,
    });
  }
}

/** 400: the technology is available at the location, but only with less bandwidth than requested. */
export class InsufficientBandwidth extends PlatformError {
  constructor(technology: AccessTechnology, mbps: number, location: ServiceLocation, maxMbps: number) {
    const [requested, available] = [formatBandwidth(mbps), formatBandwidth(maxMbps)];
    super('INSUFFICIENT_BANDWIDTH', `${technology} has at most ${available} at ${inWords(location)}. Order this bandwidth or less.`, {
      service_type: technology,
      location: plain(location),
      requested,
      available,
    });
  }
}

/** Returns a text with the known parts of a location: city, state and ZIP code. */
const inWords = ({ city, state, zip }: ServiceLocation): string =>
  [city, [state, zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
const plain = ({ address, city, state, zip }: ServiceLocation): object => ({ address, city, state, zip });
