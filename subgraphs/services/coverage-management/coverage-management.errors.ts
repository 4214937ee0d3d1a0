import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { AccessTechnology } from '../coverage/technology.ts';

/**
 * 409: an area or technology cannot be removed from the coverage, because carriers serve it. `details.carriers` has the
 * ids of at most 20 of them.
 */
export class CoverageInUse extends PlatformError {
  constructor(id: string, carriers: readonly string[], technologies: readonly AccessTechnology[]) {
    super('SERVICE_CONFLICT', `Carriers serve ${technologies.join(', ')} in the area ${id}. Change these carriers first.`, {
      ...{ resource: 'coverage_area', id, carriers: carriers.slice(0, 20), technologies: [...technologies] },
    });
  }
}

/** 409: another carrier has this name. */
export class CarrierNameTaken extends PlatformError {
  constructor(name: string, id: string) {
    super('DUPLICATE_RESOURCE', `The carrier ${id} already has the name ${name}. Choose another name.`, { resource: 'carrier', id });
  }
}
