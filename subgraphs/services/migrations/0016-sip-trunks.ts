import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Makes SIP trunks orderable. The previous release cannot order them, because they have no access technology.
 */
export const sipTrunks = migration('0016-sip-trunks', [
  `update "services"."catalog_service" set "product" = 'sip_trunk', "service_type" = 'sip_trunk' where "id" = 'sip_trunking' and "product" is null`,
]);
