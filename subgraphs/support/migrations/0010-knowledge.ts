import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds articles and feedback. The extension `pg_trgm` finds misspelt words. It is a trusted extension: a database user
 * who may create schemas may also install it.
 */
export const knowledge = migration('0010-knowledge', [
  'create extension if not exists pg_trgm',
  `create table "support"."article" (
     "id" text primary key,
     "organization_id" text null,
     "kind" text not null default 'article',
     "title" text not null,
     "summary" text not null default '',
     "body" text not null,
     "category" text not null,
     "tags" jsonb not null,
     "status" text not null default 'draft',
     "position" int not null default 0,
     "version" int not null default 1,
     "author_kind" text not null,
     "author_id" text not null,
     "published_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     "search" tsvector generated always as (setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', summary), 'B') || setweight(to_tsvector('english', tags), 'B') || setweight(to_tsvector('english', body), 'C')) stored
   )`,
  `create index "article_organization_id_updated_at_id_index" on "support"."article" ("organization_id", "updated_at", "id")`,
  `create index "article_search_index" on "support"."article" using gin ("search")`,
  `alter table "support"."article" add constraint "article_kind_check" check ("kind" in ('article', 'faq'))`,
  `alter table "support"."article" add constraint "article_status_check" check ("status" in ('draft', 'published', 'archived'))`,

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
