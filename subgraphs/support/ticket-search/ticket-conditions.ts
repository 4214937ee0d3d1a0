import type { Parameters } from './parameters.ts';
import type { TicketCriteria } from './ticket-criteria.ts';
import type { TicketQuery } from './ticket-query.ts';

/**
 * Returns SQL conditions for the organization and the criteria of a query. In these conditions, `t` is the row of the
 * ticket.
 */
export const conditionsOf = ({ organizationId, criteria }: TicketQuery, parameters: Parameters): string[] => [
  `t."organization_id" = ${parameters.add(organizationId)}`,
  ...criteriaOf(criteria, parameters),
];

/**
 * Returns SQL conditions for the criteria, except for the search words. In these conditions, `t` is the row of the
 * ticket.
 */
export function criteriaOf(criteria: TicketCriteria, parameters: Parameters): string[] {
  const { status, priority, accountId, customerId, category, assignedTo, serviceAffected, createdAfter, createdBefore } = criteria;
  const lists = {
    status,
    priority,
    account_id: accountId,
    customer_id: customerId,
    category,
    agent_id: assignedTo,
    service_affected: serviceAffected,
  };
  return [
    ...Object.entries(lists).flatMap(([column, values]) => (values ? [isOneOf('t', column, values, parameters)] : [])),
    ...(createdAfter ? [`t."created_at" >= ${parameters.add(createdAfter)}::timestamptz`] : []),
    ...(createdBefore ? [`t."created_at" < ${parameters.add(createdBefore)}::timestamptz`] : []),
  ];
}

/**
 * Returns an SQL condition that a column has one of the values. Uses `=` for a single value, so that PostgreSQL can
 * read the rows in the order of an index.
 */
export const isOneOf = (row: string, column: string, values: readonly string[], parameters: Parameters): string =>
  values.length === 1 ? `${row}."${column}" = ${parameters.add(values[0])}` : `${row}."${column}" = any(${parameters.add(values)}::text[])`;
