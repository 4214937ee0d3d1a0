import type { Ports } from '../../../kernel/domain.ts';
import { type DueDeps, dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Service } from '../inventory/service.entity.ts';
import { isBuilt } from '../inventory/service.states.ts';
import { enqueueBlock } from './converge-queue.ts';
import { ServiceBlock } from './service-block.entity.ts';

/** Time after which a job is enqueued again, if no job has asked the provider. */
const REPEAT_MS = 10 * 60_000;
const DUE = {
  name: 'services.block',
  table: 'services.service_block',
  column: 'due_at',
  postponeMs: 60_000,
  owner: { table: 'services.service', column: 'id' },
} as const;

/** Enqueues the jobs that block and unblock services at the provider. They wait while the organization is closed. */
export const serviceBlockSweeper = (deps: DueDeps & Pick<Ports, 'database' | 'jobs' | 'isClosed'>): Sweeper =>
  dueSweeper({ ...deps, waits: deps.isClosed }, DUE, async (tx, id, now) => {
    const block = await tx.findOneOrFail(ServiceBlock, { id });
    const service = await tx.findOneOrFail(Service, { id });
    // a service that is ended is released, blocked or not
    const isNeeded = isBuilt(service.status);
    block.dueAt = isNeeded ? new Date(now.getTime() + REPEAT_MS) : null;
    if (isNeeded) await enqueueBlock(deps.jobs, tx, service);
  });
