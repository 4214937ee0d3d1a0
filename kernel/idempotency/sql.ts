import type { Expired } from '../work/retention.ts';

/**
 * SQL that claims a key. It returns no row if the key is taken. A key is free if it has no row, or its row is older than 24 hours. A key is
 * also free if the lease in its row has expired, the row has no response, and it belongs to the same request. $1 organization, $2 caller,
 * $3 key, $4 fingerprint, $5 lease.
 */
export const CLAIM = `
  insert into bridge.idempotency_key as held (organization_id, caller_id, key, fingerprint, lease, leased_until)
  values ($1, $2, $3, $4, $5, now() + interval '60 seconds')
  on conflict (organization_id, caller_id, key) do update
    set fingerprint = excluded.fingerprint, lease = excluded.lease, leased_until = excluded.leased_until, created_at = now(),
        status = null, headers = null, body = null
    where held.created_at < now() - interval '24 hours'
       or (held.status is null and held.leased_until < now() and held.fingerprint = excluded.fingerprint)
  returning lease`;

/** SQL that reads the row of a key. $1 organization, $2 caller, $3 key. */
export const READ = `
  select fingerprint, lease, status, headers, body from bridge.idempotency_key
  where organization_id = $1 and caller_id = $2 and key = $3`;

/** SQL that extends the lease of a key to 60 seconds from now. $1 organization, $2 caller, $3 key, $4 lease. */
export const EXTEND = `
  update bridge.idempotency_key set leased_until = now() + interval '60 seconds'
  where organization_id = $1 and caller_id = $2 and key = $3 and lease = $4 and status is null`;

/** SQL that stores the response of a key. $1 organization, $2 caller, $3 key, $4 lease, $5 status, $6 headers, $7 body. */
export const COMPLETE = `
  update bridge.idempotency_key set status = $5, headers = $6::text::jsonb, body = $7
  where organization_id = $1 and caller_id = $2 and key = $3 and lease = $4 and status is null`;

/** SQL that releases a key by deleting its row. $1 organization, $2 caller, $3 key, $4 lease. */
export const ABANDON = `
  delete from bridge.idempotency_key
  where organization_id = $1 and caller_id = $2 and key = $3 and lease = $4 and status is null`;

/** Condition for rows older than 24 hours, which a new claim would overwrite. */
export const EXPIRED: Expired = { table: 'bridge.idempotency_key', where: `created_at < now() - interval '24 hours'`, values: [] };
