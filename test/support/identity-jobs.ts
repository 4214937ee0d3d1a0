/**
 * SQL: the jobs of identity that are due or under way. Others stay for long, and other tests of the same platform leave them: what is
 * removed in a month, what waits for a suspended organization.
 */
export const DUE_IDENTITY_JOBS = `select 1 from pgboss.job
  where name like 'identity.%' and state in ('created', 'retry', 'active') and start_after <= pgboss.job_now()`;
