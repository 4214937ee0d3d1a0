import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { WebhookFamily } from './webhook.entity.ts';

/** Checks that only webhooks of the support family, or of all families, have filters (specification 2.8). */
export const filterProblems = (filters: unknown, family: WebhookFamily | null | undefined): FieldProblem[] =>
  !filters || !family || family === WebhookFamily.SUPPORT
    ? []
    : [{ field: 'filters', reason: `apply only to ticket events, which a webhook of the ${family} family does not get` }];
