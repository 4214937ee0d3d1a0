import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { WebhookFamily } from './webhook.entity.ts';

/** Specification 2.8: filters are of support webhooks, and of those that mix families. */
export const filterProblems = (filters: unknown, family: WebhookFamily | null | undefined): FieldProblem[] =>
  !filters || !family || family === WebhookFamily.SUPPORT
    ? []
    : [{ field: 'filters', reason: `narrow events of tickets; a webhook of the ${family} family has none` }];
