import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum ReportStatus {
  GENERATING = 'generating',
  READY = 'ready',
  FAILED = 'failed',
}
registerEnumType(ReportStatus, {
  name: 'ReportStatus',
  description: 'Specification 3.5.',
  valuesConfig: {
    GENERATING: { description: 'It waits or is being counted; `progress` says how far it is.' },
    READY: { description: 'Its file can be downloaded.' },
    FAILED: { description: 'It was given up; `error` says why. Ask for it again.' },
  },
});

const { GENERATING, READY, FAILED } = ReportStatus;

export const reportStates = new StateMachine<ReportStatus>('report', {
  [GENERATING]: [READY, FAILED],
  [READY]: [],
  [FAILED]: [],
});
