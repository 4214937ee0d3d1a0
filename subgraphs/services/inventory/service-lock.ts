import type { EntityManager } from '../../../kernel/database/database.ts';
import { organizationOf } from '../../../kernel/records/organization-filter.ts';
import { Service } from './service.entity.ts';

/**
 * Returns a service, and locks it until the transaction ends. Null if the organization does not have it. Every step of a service's life
 * needs this statement, so it does not use the query builder of the ORM, which takes longer than the statement itself. It also reads
 * `isRequested`, which cannot change: a service is stored together with the link from its provisioning request.
 */
export async function lockService(tx: EntityManager, id: string): Promise<Service | null> {
  const [row] = await tx.execute<({ is_requested: boolean } & Record<string, unknown>)[]>(
    `select s.*, exists (select from "services"."provisioning_request" r where r."service_id" = s."id") as "is_requested"
     from "services"."service" s where s."organization_id" = ? and s."id" = ? for update of s`,
    [organizationOf(tx), id],
  );
  if (!row) return null;
  const { is_requested: isRequested, ...columns } = row;
  return Object.assign(tx.map<Service>(Service, columns as never), { isRequested });
}
