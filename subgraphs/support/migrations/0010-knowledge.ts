import { migration } from '../../../kernel/migration.ts';

export const knowledge = migration('0010-knowledge', [
  `create table "support"."feedback" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text null,
     "article_id" text null,
     "rating" smallint not null,
     "comment" text null,
     "author_kind" text not null,
     "author_id" text not null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "feedback_organization_id_created_at_id_index" on "support"."feedback" ("organization_id", "created_at", "id")`,
  `alter table "support"."feedback" add constraint "feedback_ticket_id_unique" unique ("ticket_id")`,
  `alter table "support"."feedback" add constraint "feedback_organization_id_article_id_author_kind_a_fc309_unique" unique ("organization_id", "article_id", "author_kind", "author_id")`,
]);
