import { PLAN_CURRENCY, PLANS } from '../../kernel/access/plans.ts';
import type { Area } from '../../rest-bridge/route.ts';

const count = (number: number): string => (Number.isFinite(number) ? number.toLocaleString('en-US') : 'unlimited');

/** Returns the rows of the guide's table of plans. */
export const planRows = (): string[] => {
  const plans = Object.values(PLANS);
  const row = (name: string, value: (plan: (typeof plans)[number]) => string): string => `| ${[name, ...plans.map(value)].join(' | ')} |`;
  return [
    `| | ${Object.keys(PLANS).join(' | ')} |`,
    `| --- |${' --- |'.repeat(plans.length)}`,
    row('requests per hour (by cost)', ({ perHour }) => count(perHour)),
    row('burst: requests in any 60 seconds (by cost)', ({ burst }) => count(burst)),
    row('requests at a time', ({ concurrent }) => count(concurrent)),
    row('requests included per month', ({ includedPerMonth }) => count(includedPerMonth)),
    row(`price of a further request (${PLAN_CURRENCY})`, ({ overagePrice }) => overagePrice?.toString() ?? 'by contract'),
    row('webhook deliveries per month', ({ webhookDeliveriesPerMonth }) => count(webhookDeliveriesPerMonth)),
    row('live connections at a time', ({ liveConnections }) => count(liveConnections)),
    row('live subscriptions at a time', ({ liveSubscriptions }) => count(liveSubscriptions)),
    row('usage events recorded in any 60 seconds', ({ usageEventsPerMinute }) => count(usageEventsPerMinute)),
    row('samples of metrics recorded in any 60 seconds', ({ samplesPerMinute }) => count(samplesPerMinute)),
    row('series of metrics with a sample in 24 hours', ({ activeSeries }) => count(activeSeries)),
    row('log entries sent in any 60 seconds', ({ logEntriesPerMinute }) => count(logEntriesPerMinute)),
    row('alerts on metrics', ({ alerts }) => count(alerts)),
  ];
};

/** Returns the rows of the guide's table of REST operations and GraphQL fields. */
export const restToGraphqlRows = (areas: readonly Area[]): string[] => [
  '| REST | GraphQL |',
  '| --- | --- |',
  ...areas.flatMap(({ routes }) =>
    routes.map(
      ({ method, path, field, access }) => `| \`${method} ${path}\` | \`${field}\`${access === 'public' ? ' (without credentials)' : ''} |`,
    ),
  ),
];
