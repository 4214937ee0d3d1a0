import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds three things to catalog services: the product that builds the service, the features that can be ordered for it,
 * and the time of its retirement.
 *
 * `service_type` is now also set for networks. The previous release therefore accepts a network as the template of a
 * provisioning request. It then refuses the request with SERVICE_UNAVAILABLE_AT_LOCATION and builds nothing, because no
 * location has the access technology `mpls` or `sd_wan`.
 */
export const catalogProducts = migration('0009-catalog-products', [
  `alter table "services"."catalog_service" add column "product" text null, add column "retired_at" timestamptz(3) null`,
  `create table "services"."catalog_feature" (
     "service_id" text not null,
     "name" text not null,
     "position" int not null,
     "description" text not null,
     "monthly_price" numeric(18,4) not null,
     "per_unit" boolean not null default false,
     "needs" jsonb not null default '[]',
     primary key ("service_id", "name")
   )`,

  `update "services"."catalog_service" set "product" = 'internet'
     where "id" in ('business_fiber', 'business_cable', 'fixed_wireless_access', 'business_dsl')`,
  `update "services"."catalog_service" set "product" = 'network', "service_type" = 'mpls' where "id" = 'mpls_network'`,
  `update "services"."catalog_service" set "product" = 'network', "service_type" = 'sd_wan' where "id" = 'sd_wan'`,

  `with feature("product", "position", "name", "monthly_price", "per_unit", "needs", "description") as (values
     ('internet', 1, 'static_ip', 15.00, false, '[]', 'A block of five fixed public addresses.'),
     ('internet', 2, 'managed_router', 25.00, false, '[]', 'A router that is delivered, configured and updated.'),
     ('internet', 3, 'ddos_protection', 49.00, false, '["static_ip"]', 'Attack traffic to the fixed addresses is filtered.'),
     ('internet', 4, 'priority_repair', 35.00, false, '[]', 'Faults are repaired before those of other lines, at all hours.'),
     ('network', 1, 'traffic_shaping', 20.00, true, '[]', 'Bandwidth is divided between applications at each site.'),
     ('network', 2, 'encryption', 15.00, true, '[]', 'Traffic between the sites is encrypted.'),
     ('network', 3, 'cloud_connect', 99.00, false, '["encryption"]', 'A private connection from the network to cloud providers.')
   )
   insert into "services"."catalog_feature" ("service_id", "name", "position", "description", "monthly_price", "per_unit", "needs")
     select s."id", f."name", f."position", f."description", f."monthly_price", f."per_unit", f."needs"::jsonb
     from "services"."catalog_service" s join feature f on f."product" = s."product"`,
]);
