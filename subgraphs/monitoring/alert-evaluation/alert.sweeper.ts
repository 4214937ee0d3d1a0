import type { Ports } from '../../../kernel/domain.ts';
import { Sweeper } from '../../../kernel/records/due.ts';
import { AlertEvaluation, type AlertEvaluationDeps } from './alert-evaluation.ts';

/** Maximum number of alerts that one transaction evaluates. */
const LIMIT = 200;

/** Returns the sweeper that evaluates alerts. */
export function alertSweeper({ database, ...deps }: AlertEvaluationDeps & Pick<Ports, 'database'>): Sweeper {
  const query = 'select 1 from "monitoring"."alert" where "due_at" <= $1 order by "due_at" limit 1';
  const evaluation = new AlertEvaluation(deps);
  return new Sweeper({ ...deps, name: 'monitoring.alerts', poller: database.poller, query, limit: LIMIT }, evaluation.sweep);
}
