import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds claims of SAML connections to e-mail domains. DNS records prove the claims. The table `saml_domain` still states which connection
 * signs in the users of a domain, because the previous release reads it too. Domains that are already in use must be proven within 30 days.
 */
export const samlDomains = migration('0015-saml-domains', [
  `create table "identity"."saml_domain_claim" (
     "connection_id" text not null references "identity"."saml_connection" ("id") on delete cascade,
     "domain" text not null,
     "organization_id" text not null,
     "created_at" timestamptz(3) not null,
     "proven_at" timestamptz(3) null,
     "failing_since" timestamptz(3) null,
     "grace_until" timestamptz(3) null,
     "warned_at" timestamptz(3) null,
     "checked_at" timestamptz(3) null,
     "check_due_at" timestamptz(3) not null,
     "problem" text null,
     primary key ("connection_id", "domain")
   )`,
  `alter table "identity"."saml_domain_claim" add constraint "saml_domain_claim_organization_id_domain_unique" unique ("organization_id", "domain")`,
  `create index "saml_domain_claim_check_due_at_index" on "identity"."saml_domain_claim" ("check_due_at")`,
  `insert into "identity"."saml_domain_claim" ("connection_id", "domain", "organization_id", "created_at", "grace_until", "check_due_at")
     select d."connection_id", d."domain", c."organization_id", c."created_at", now() + interval '30 days', now()
     from "identity"."saml_domain" d join "identity"."saml_connection" c on c."id" = d."connection_id"`,
]);
