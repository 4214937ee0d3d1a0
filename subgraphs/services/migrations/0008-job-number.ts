import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the number of the newest job of a service. The previous release does not change this number, and the jobs of
 * that release have no number.
 */
export const jobNumber = migration('0008-job-number', [`alter table "services"."service" add column "job_number" int not null default 0`]);
