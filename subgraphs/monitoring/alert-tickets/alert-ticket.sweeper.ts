import type { Ports } from '../../../kernel/domain.ts';
import { type DueDeps, dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { AlertTicket } from './alert-ticket.entity.ts';
import { endTicket } from './alert-tickets.ts';

const DUE = {
  name: 'monitoring.alert-tickets',
  table: 'monitoring.alert_ticket',
  column: 'end_due_at',
  postponeMs: 60_000,
} as const;

/** Ends the tickets of alerts that have not fired for five minutes. */
export const alertTicketSweeper = (deps: DueDeps & Pick<Ports, 'database'>): Sweeper =>
  dueSweeper(deps, DUE, async (tx, id, now) => endTicket(tx, await tx.findOneOrFail(AlertTicket, { id }), now));
