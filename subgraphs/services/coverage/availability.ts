import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Availability, AvailabilityCheckInput } from './availability.types.ts';
import { BANDWIDTH_FORM, formatBandwidth, parseBandwidth } from './bandwidth.ts';
import type { CoverageService } from './coverage.service.ts';
import { TECHNOLOGIES } from './technology.ts';

/** Reads a bandwidth that a caller sent. @throws InvalidParameters naming the field */
export function requireBandwidth(field: string, text: string): number {
  const mbps = parseBandwidth(text);
  if (mbps === null) throw new InvalidParameters([{ field, value: text, reason: `must be ${BANDWIDTH_FORM}` }]);
  return mbps;
}

/** Answers for each technology that was asked about. What cannot be served is an answer here, and an error to an order. */
export async function availabilityOf(
  { location, serviceTypes, bandwidthRequirements }: AvailabilityCheckInput,
  coverage: CoverageService,
): Promise<Availability> {
  const required = bandwidthRequirements ? requireBandwidth('bandwidthRequirements', bandwidthRequirements) : 1;
  const reaches = new Map((await coverage.reachesOf(location)).map(({ technology, maxMbps }) => [technology, maxMbps]));
  const asked = serviceTypes?.length ? [...new Set(serviceTypes)] : TECHNOLOGIES;
  return {
    location,
    serviceable: reaches.size > 0,
    services: asked.map((serviceType) => {
      const maxMbps = reaches.get(serviceType);
      return {
        serviceType,
        available: maxMbps !== undefined && maxMbps >= required,
        bandwidth: maxMbps === undefined ? null : formatBandwidth(maxMbps),
      };
    }),
  };
}
