import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the due time and the progress of the deletion of a closed organization's records. The database still refuses to change audit
 * records, with one exception: they can be pseudonymized while the records of their organization are being deleted.
 */
export const organizationDeletion = migration('0024-organization-deletion', [
  `alter table "identity"."organization"
     add column "deletion_due_at" timestamptz(3) null,
     add column "deletion_position" jsonb null,
     add column "pseudonym_key" text null,
     add column "deleted_at" timestamptz(3) null`,
  `create index "organization_deletion_due_at_index" on "identity"."organization" ("deletion_due_at") where deletion_due_at is not null`,
  `update "identity"."organization" set "deletion_due_at" = "delete_after" where "delete_after" is not null`,
  // the entity has the same default
  `alter table "identity"."organization_export" alter column "bytes" set default '0'`,
  `create function "identity"."refuse_audit_change"() returns trigger language plpgsql as $$
     declare "persons" text[] := array['client_id', 'ip_address', 'user_agent', 'reason'];
     begin
       if to_jsonb(new) - "persons" = to_jsonb(old) - "persons" and exists (
         select from "identity"."organization" o where o."id" = old."organization_id" and o."pseudonym_key" is not null)
       then return new; end if;
       raise exception 'Audit records are not changed.';
     end $$`,
  'drop trigger "audit_record_append_only" on "identity"."audit_record"',
  `create trigger "audit_record_append_only" before update on "identity"."audit_record"
     for each row execute function "identity"."refuse_audit_change"()`,
]);
