import { area, del, get, post, put } from '../route.ts';

const example = {
  name: 'Connectivity of the branch offices',
  amount: 5000,
  currency: 'USD',
  period: 'monthly',
  thresholds: [50, 80, 100],
} as const;

/** REST routes of costs, key figures and budgets (specification 4.5). */
export const billingReports = area(
  'Costs and budgets',
  'Costs of services, key figures of billing, and budgets that send alerts.',
  [
    get('getCostAnalysis', '/billing/cost-analysis', 'costAnalysis', {
      summary: 'Get the costs of services',
      description:
        'Gets the costs of services in the current month and year, without tax and after deduction of credits. The price of a service for a period, such as a year, is divided among the months of this period. Other costs belong to the month of their invoice. The costs of all categories add up to the total.',
      category: 'billing',
    }),
    get('getBillingAnalytics', '/billing/analytics', 'billingAnalytics', { summary: 'Get key figures of billing', category: 'billing' }),
    post('createBudgetAlert', '/billing/budgets', 'createBudget', {
      summary: 'Create a budget with alerts',
      description:
        'Creates a budget. When the costs of a period reach a percentage of the amount, an e-mail and the event `usage.threshold` are sent, once for each percentage and period.',
      category: 'billing',
      errors: { INVALID_STATE: 'the organization has 100 budgets' },
      example,
    }),
    get('listBudgets', '/billing/budgets', 'budgets', { summary: 'List budgets', category: 'billing', addition: true }),
    get('getBudget', '/billing/budgets/{budget_id}', 'budget', { summary: 'Get a budget', category: 'billing', addition: true }),
    put('updateBudget', '/billing/budgets/{budget_id}', 'updateBudget', {
      summary: 'Update a budget',
      description:
        'Changes a budget. After a change of the amount, period or category, thresholds that are reached in the current period cause alerts again.',
      category: 'billing',
      addition: true,
      example: { amount: 6000, thresholds: [80, 100] },
    }),
    del('deleteBudget', '/billing/budgets/{budget_id}', 'deleteBudget', {
      summary: 'Delete a budget',
      category: 'billing',
      addition: true,
    }),
  ],
  'Billing',
);
