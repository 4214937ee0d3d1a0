import type { Ports } from '../../../kernel/domain.ts';
import { type DueDeps, dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Incident } from './incident.entity.ts';
import { incidentResolved } from './incident.events.ts';
import { IncidentSource, IncidentStatus } from './incident.states.ts';
import { recordChange } from './incident-changes.ts';
import { failingIn } from './incident-health.ts';

const DUE = {
  name: 'monitoring.incidents',
  table: 'monitoring.incident',
  column: 'resolve_due_at',
  postponeMs: 60_000,
} as const;

/** Resolves incidents whose services have worked, and whose alerts have not fired, for five minutes. */
export const incidentSweeper = (deps: DueDeps & Pick<Ports, 'database'>): Sweeper =>
  dueSweeper(deps, DUE, async (tx, id, now) => {
    const incident = await tx.findOneOrFail(Incident, { id });
    incident.resolveDueAt = null;
    if (!incident.resolvesItself || (await failingIn(tx, incident)) > 0) return;
    incident.moveTo(IncidentStatus.RESOLVED, now);
    const message =
      incident.source === IncidentSource.ALERT ? 'No alert has fired for five minutes.' : 'All services have worked for five minutes.';
    await recordChange(tx, incident, incidentResolved, { message, changedBy: null });
  });
