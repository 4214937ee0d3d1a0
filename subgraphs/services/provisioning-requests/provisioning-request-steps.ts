import { ProvisioningRequestStatus } from './provisioning-request.states.ts';

/** Steps of a provisioning request, from first to last. */
export enum StepName {
  INFORMATION = 'information',
  SCHEDULE = 'schedule',
  ORDER = 'order',
  BUILD = 'build',
}

export enum StepStatus {
  PENDING = 'pending',
  RUNNING = 'running',
  COMPLETED = 'completed',
  FAILED = 'failed',
  SKIPPED = 'skipped',
}

/** The properties of a provisioning request that determine the statuses of its steps. */
export interface Progress {
  status: ProvisioningRequestStatus;
  isComplete: boolean;
  isScheduled: boolean;
  isOrdered: boolean;
}

const STEPS = Object.values(StepName);
const { PENDING, ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ProvisioningRequestStatus;

/** Status of the step that a provisioning request has reached, by the status of the request. */
const CURRENT: Record<ProvisioningRequestStatus, StepStatus> = {
  [PENDING]: StepStatus.RUNNING,
  [ACKNOWLEDGED]: StepStatus.PENDING,
  [IN_PROGRESS]: StepStatus.RUNNING,
  [COMPLETED]: StepStatus.COMPLETED,
  [FAILED]: StepStatus.FAILED,
  [CANCELLED]: StepStatus.SKIPPED,
};

/**
 * Computes the status of each step. Steps before the current step are completed. Steps after the current step are
 * pending, or skipped if the request has failed or was cancelled.
 */
export function stepsOf(progress: Progress): { name: StepName; status: StepStatus }[] {
  const { status, isScheduled } = progress;
  const current = STEPS.indexOf(currentOf(progress));
  const after = status === FAILED || status === CANCELLED ? StepStatus.SKIPPED : StepStatus.PENDING;
  return STEPS.map((name, index) => {
    if (name === StepName.SCHEDULE && !isScheduled) return { name, status: StepStatus.SKIPPED };
    if (index === current) return { name, status: CURRENT[status] };
    return { name, status: index < current ? StepStatus.COMPLETED : after };
  });
}

function currentOf({ status, isComplete, isOrdered }: Progress): StepName {
  if (!isComplete) return StepName.INFORMATION;
  if (isOrdered) return StepName.BUILD;
  return status === FAILED ? StepName.ORDER : StepName.SCHEDULE;
}
