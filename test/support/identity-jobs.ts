/**
 * SQL that selects the identity jobs that are due or running. Later jobs, such as deletions in a month, can belong to other
 * tests of the same platform.
 */
export const DUE_IDENTITY_JOBS = `select 1 from pgboss.job
  where name like 'identity.%' and state in ('created', 'retry', 'active') and start_after <= pgboss.job_now()`;
