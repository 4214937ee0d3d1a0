import { registerEnumType } from 'type-graphql';

export enum SandboxClockStatus {
  READY = 'ready',
  ADVANCING = 'advancing',
  FAILED = 'failed',
}

registerEnumType(SandboxClockStatus, {
  name: 'SandboxClockStatus',
  description: 'Whether the clock of a sandbox is moving.',
  valuesConfig: {
    READY: { description: 'The clock stands still.' },
    ADVANCING: { description: 'Everything that is due until `target` is being processed. Changes of billing are refused.' },
    FAILED: { description: 'An error stopped the clock. Advance it again to continue.' },
  },
});
