import { describe, expect, test } from 'vitest';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';
import { type Progress, stepsOf } from './provisioning-request-steps.ts';

const { PENDING, ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ProvisioningRequestStatus;

const shown = (status: ProvisioningRequestStatus, progress: Partial<Progress>): string =>
  stepsOf({ status, isComplete: true, isScheduled: false, isOrdered: false, ...progress })
    .map((step) => `${step.name} ${step.status}`)
    .join(', ');

describe('provisioning request steps', () => {
  test.each<[ProvisioningRequestStatus, Partial<Progress>, string]>([
    [PENDING, { isComplete: false }, 'information running, schedule skipped, order pending, build pending'],
    [PENDING, { isComplete: false, isScheduled: true }, 'information running, schedule pending, order pending, build pending'],
    [PENDING, { isScheduled: true }, 'information completed, schedule running, order pending, build pending'],
    [ACKNOWLEDGED, { isOrdered: true }, 'information completed, schedule skipped, order completed, build pending'],
    [IN_PROGRESS, { isOrdered: true }, 'information completed, schedule skipped, order completed, build running'],
    [COMPLETED, { isOrdered: true, isScheduled: true }, 'information completed, schedule completed, order completed, build completed'],
    [FAILED, { isOrdered: true }, 'information completed, schedule skipped, order completed, build failed'],
    [FAILED, { isScheduled: true }, 'information completed, schedule completed, order failed, build skipped'],
    [CANCELLED, { isComplete: false }, 'information skipped, schedule skipped, order skipped, build skipped'],
    [CANCELLED, { isScheduled: true }, 'information completed, schedule skipped, order skipped, build skipped'],
  ])('the steps of a provisioning request with the status %s and the progress %j are: %s', (status, progress, steps) => {
    expect(shown(status, progress)).toBe(steps);
  });
});
