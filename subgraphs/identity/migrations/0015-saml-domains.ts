import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * E-mail domains of SAML connections become claims, which are proven by DNS. `saml_domain` still contains the one
 * connection that signs in users of a domain, since the previous release also reads `saml_domain`. Domains that are in
 * use get a grace period of 30 days to be proven.
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
