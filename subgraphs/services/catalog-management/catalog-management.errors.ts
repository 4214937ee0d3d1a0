import { PlatformError } from '../../../kernel/errors/errors.ts';
import { inWords, type Resource } from '../../../kernel/errors/resource.ts';

/** 409: a record of the catalog, the coverage or the carriers already has this id. */
export class CatalogIdTaken extends PlatformError {
  constructor(resource: Resource, id: string) {
    super('DUPLICATE_RESOURCE', `There is already a ${inWords(resource)} ${id}. Update it, or choose another id.`, { resource, id });
  }
}

/** 409: another catalog service that is not retired already has this `service_type`. */
export class ServiceTypeTaken extends PlatformError {
  constructor(serviceType: string, id: string) {
    super('DUPLICATE_RESOURCE', `${id} already has the service type ${serviceType}. Retire it first, or omit the service type.`, {
      resource: 'catalog_service',
      id,
      service_type: serviceType,
    });
  }
}

/** 409: a category with services cannot be deleted. Retired services count too. */
export class CategoryInUse extends PlatformError {
  constructor(name: string, services: readonly string[]) {
    super('SERVICE_CONFLICT', `The category ${name} still has services. Move them to another category first.`, {
      resource: 'catalog_category',
      id: name,
      services: services.slice(0, 20),
    });
  }
}
