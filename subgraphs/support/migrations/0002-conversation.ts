import { migration } from '../../../kernel/migrations/migration.ts';

export const conversation = migration('0002-conversation', [
  `create table "support"."comment" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text not null,
     "content" text not null,
     "type" text not null,
     "visibility" text not null,
     "author" jsonb not null,
     "metadata" jsonb not null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "comment_ticket_id_created_at_id_index" on "support"."comment" ("ticket_id", "created_at", "id")`,
  `alter table "support"."comment" add constraint "comment_visibility_check" check ("visibility" in ('customer', 'internal'))`,
  `create table "support"."attachment" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text not null,
     "comment_id" text null,
     "visibility" text not null default 'customer',
     "filename" text not null,
     "content_type" text not null,
     "size" int not null,
     "sha256" text not null,
     "uploaded_by" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "attachment_comment_id_index" on "support"."attachment" ("comment_id")`,
  `create index "attachment_ticket_id_created_at_id_index" on "support"."attachment" ("ticket_id", "created_at", "id")`,
  `alter table "support"."attachment" add constraint "attachment_visibility_check" check ("visibility" in ('customer', 'internal'))`,
  `create table "support"."attachment_upload" (
     "id" text primary key,
     "organization_id" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "attachment_upload_created_at_index" on "support"."attachment_upload" ("created_at")`,
]);
