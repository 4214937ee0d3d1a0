/**
 * SQL that selects the identity jobs that are due or running. It excludes jobs that start later, such as a deletion after
 * one month, because other tests on the same platform can have created them.
 */
export const DUE_IDENTITY_JOBS = `select 1 from pgboss.job
  where name like 'identity.%' and state in ('created', 'retry', 'active') and start_after <= pgboss.job_now()`;
