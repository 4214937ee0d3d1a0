import { type FilterQuery, raw } from '@mikro-orm/core';
import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Incident } from './incident.entity.ts';

/** Returns the condition that an incident affects a service that callers with these accounts may see. */
export function disturbing(serviceId: string, accounts: Accounts = null): FilterQuery<Incident> {
  const condition = (alias: string): string =>
    `exists (select 1 from "monitoring"."incident_service" s where s."incident_id" = ${alias}."id" and s."organization_id" = ${alias}."organization_id"
       and s."service_id" = ?${accounts ? ' and s."account_id" = any(?::text[])' : ''})`;
  const values = accounts ? [serviceId, `{${accounts.map((id) => JSON.stringify(id)).join()}}`] : [serviceId];
  return { [raw(condition, values) as never]: [] } as FilterQuery<Incident>;
}
