import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../records/states.ts';

export enum ReportStatus {
  GENERATING = 'generating',
  READY = 'ready',
  FAILED = 'failed',
}
registerEnumType(ReportStatus, {
  name: 'ReportStatus',
  description: 'Progress of a report.',
  valuesConfig: {
    GENERATING: { description: 'Waiting or in progress. `progress` contains the finished percentage.' },
    READY: { description: 'The file can be downloaded.' },
    FAILED: { description: 'Failed. `error` contains the reason. Request the report again.' },
  },
});

const { GENERATING, READY, FAILED } = ReportStatus;

export const reportStates = new StateMachine<ReportStatus>('report', {
  [GENERATING]: [READY, FAILED],
  [READY]: [],
  [FAILED]: [],
});
