import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the catalog (specification 2.5) with its prices in US dollars. */
export const catalog = migration('0002-catalog', [
  `create table "services"."catalog_category" ("name" text primary key, "position" int not null, "description" text not null)`,
  `create table "services"."catalog_service" (
     "id" text primary key,
     "category" text not null,
     "position" int not null,
     "name" text not null,
     "description" text not null,
     "service_type" text null,
     "starting_price" numeric(18,4) not null,
     "unit" text not null,
     "currency" text not null
   )`,
  `alter table "services"."catalog_service" add constraint "catalog_service_service_type_unique" unique ("service_type")`,
  `create table "services"."catalog_bandwidth" (
     "service_id" text not null,
     "mbps" int not null,
     "monthly_price" numeric(18,4) not null,
     primary key ("service_id", "mbps")
   )`,
  `create table "services"."catalog_sla" (
     "service_id" text not null,
     "name" text not null,
     "position" int not null,
     "uplift_percent" numeric(18,4) not null,
     "uptime_percent" numeric(18,4) not null,
     primary key ("service_id", "name")
   )`,

  `insert into "services"."catalog_category" ("position", "name", "description") values
     (1, 'connectivity', 'Internet access and private networks between sites.'),
     (2, 'voice', 'Phone systems, trunks and contact centers.'),
     (3, 'cloud', 'Virtual machines and storage, on our platform or over several clouds.'),
     (4, 'security', 'Monitoring, protection and response.'),
     (5, 'ai', 'Platforms for models, and automation that uses them.')`,

  `insert into "services"."catalog_service" ("position", "id", "category", "name", "service_type", "starting_price", "unit", "currency", "description") values
     (1, 'business_fiber', 'connectivity', 'Business Fiber', 'fiber', 89.00, 'month', 'USD', 'Symmetric internet access over fiber, up to 10 gigabits.'),
     (2, 'business_cable', 'connectivity', 'Business Cable', 'cable', 69.00, 'month', 'USD', 'Internet access over the cable network, up to 1 gigabit.'),
     (3, 'fixed_wireless_access', 'connectivity', 'Fixed Wireless Access', 'fixed_wireless', 59.00, 'month', 'USD', 'Internet access by radio where no line reaches, or as a second way out.'),
     (4, 'business_dsl', 'connectivity', 'Business DSL', 'dsl', 39.00, 'month', 'USD', 'Internet access over the telephone line.'),
     (5, 'mpls_network', 'connectivity', 'MPLS Network', null, 249.00, 'site/month', 'USD', 'A private network between sites with guaranteed classes of service.'),
     (6, 'sd_wan', 'connectivity', 'SD-WAN', null, 129.00, 'site/month', 'USD', 'One network over any access, steered by application.'),
     (1, 'cloud_pbx', 'voice', 'Cloud PBX', null, 19.95, 'user/month', 'USD', 'A phone system without a box: attendant, forwarding, voicemail, conferences.'),
     (2, 'sip_trunking', 'voice', 'SIP Trunking', null, 14.95, 'channel/month', 'USD', 'Channels to the telephone network for a phone system of your own.'),
     (3, 'contact_center', 'voice', 'Contact Center', null, 89.00, 'agent/month', 'USD', 'Voice, chat, e-mail and text messages in one queue.'),
     (1, 'virtual_machine', 'cloud', 'Virtual Machine', null, 24.00, 'machine/month', 'USD', 'Compute in sizes from two processors.'),
     (2, 'block_storage', 'cloud', 'Block Storage', null, 0.08, 'gigabyte/month', 'USD', 'Volumes for virtual machines, replicated three times.'),
     (3, 'multi_cloud', 'cloud', 'Multi-Cloud', null, 499.00, 'month', 'USD', 'Resources of several providers deployed, connected and billed as one.'),
     (1, 'managed_soc', 'security', 'Managed SOC', null, 1499.00, 'month', 'USD', 'Analysts who watch, hunt and respond at all hours.'),
     (2, 'managed_firewall', 'security', 'Managed Firewall', null, 149.00, 'firewall/month', 'USD', 'A firewall that is configured, updated and watched.'),
     (3, 'ddos_protection', 'security', 'DDoS Protection', null, 299.00, 'month', 'USD', 'Attack traffic is scrubbed before it reaches the line.'),
     (1, 'machine_learning', 'ai', 'Machine Learning Platform', null, 799.00, 'month', 'USD', 'Training and serving of models on reserved compute.'),
     (2, 'model_hosting', 'ai', 'Model Hosting', null, 199.00, 'model/month', 'USD', 'Predictions over HTTP from a model that you bring.'),
     (3, 'ai_automation', 'ai', 'Automation', null, 99.00, 'month', 'USD', 'Rules that react to events and act on their own.')`,

  `insert into "services"."catalog_bandwidth" ("service_id", "mbps", "monthly_price") values
     ('business_fiber', 100, 89.00), ('business_fiber', 250, 129.00), ('business_fiber', 500, 199.00), ('business_fiber', 1000, 299.00),
     ('business_fiber', 2000, 499.00), ('business_fiber', 5000, 899.00), ('business_fiber', 10000, 1499.00),
     ('business_cable', 100, 69.00), ('business_cable', 300, 99.00), ('business_cable', 500, 139.00), ('business_cable', 1000, 219.00),
     ('fixed_wireless_access', 50, 59.00), ('fixed_wireless_access', 100, 89.00), ('fixed_wireless_access', 300, 149.00),
     ('business_dsl', 10, 39.00), ('business_dsl', 25, 49.00), ('business_dsl', 50, 65.00), ('business_dsl', 100, 85.00),
     ('mpls_network', 100, 249.00), ('mpls_network', 500, 449.00), ('mpls_network', 1000, 699.00),
     ('sd_wan', 100, 129.00), ('sd_wan', 500, 189.00), ('sd_wan', 1000, 259.00)`,

  `insert into "services"."catalog_sla" ("service_id", "position", "name", "uplift_percent", "uptime_percent")
     select "id", t."position", t."name", t."uplift", t."uptime"
     from "services"."catalog_service"
     cross join (values (1, 'standard', 0, 99.9), (2, 'business', 15, 99.95), (3, 'enterprise', 35, 99.99)) as t("position", "name", "uplift", "uptime")
     where "id" <> 'business_dsl' or t."position" < 3`,
]);
