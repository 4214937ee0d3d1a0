import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Dunning } from './dunning.entity.ts';
import { DunningState } from './dunning.states.ts';

const { OVERDUE, SUSPENDED } = DunningState;

export const accountDunningChanged = defineEvent(
  {
    name: 'account.dunning_changed',
    family: 'billing',
    description:
      'The payment state of an account changed to `current`, `overdue` or `suspended`. While the state is `suspended`, the services of the account are suspended.',
    data: z.strictObject({
      billing_account: z.strictObject({
        account_id: z.string(),
        dunning: z.strictObject({
          state: z.enum(DunningState),
          since: timestamp,
          revision: z.int().describe('Number of changes. An event with a lower number is older, even if it arrives later.'),
        }),
      }),
      changes: z.strictObject({ state: z.strictObject({ from: z.enum(DunningState), to: z.enum(DunningState) }) }),
    }),
    example: {
      billing_account: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        dunning: { state: SUSPENDED, since: '2026-03-04T00:00:00.000Z', revision: 2 },
      },
      changes: { state: { from: OVERDUE, to: SUSPENDED } },
    },
  },
  ({ id, organizationId, state, revision }: Dunning, from: DunningState, now: Date) => ({
    organizationId,
    occurredAt: now,
    subject: { type: 'BillingAccount', id },
    accountId: id,
    data: {
      billing_account: { account_id: id, dunning: { state, since: now.toISOString(), revision } },
      changes: { state: { from, to: state } },
    },
  }),
);

export const collectionEvents = [accountDunningChanged.type];
