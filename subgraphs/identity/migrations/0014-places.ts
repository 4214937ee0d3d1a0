import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds places (IP networks) from which users signed in. Failed logins from other places do not lock users out at these places. */
export const places = migration('0014-places', [
  `create table "identity"."known_place" (
     "user_id" text not null references "identity"."user" ("id") on delete cascade,
     "place" text not null,
     "second_factor" boolean not null,
     "last_seen" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null,
     primary key ("user_id", "place")
   )`,
  `create index "known_place_expires_at_index" on "identity"."known_place" ("expires_at")`,
]);
