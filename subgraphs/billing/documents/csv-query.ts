import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { DateTime } from '../../../kernel/graphql/scalars.ts';
import { isStorable, UNSTORABLE } from '../../../kernel/values/text.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';

/** Filter for the invoices in a CSV file. Its fields have the same meaning as in the list of invoices. */
export interface CsvFilter {
  accountId: string[] | null;
  status: InvoiceStatus[] | null;
  dateFrom: Date | null;
  dateTo: Date | null;
}

/** Maximum number of values of a filter. */
const MAX_VALUES = 100;

const isStatus = (text: string): text is InvoiceStatus => (Object.values(InvoiceStatus) as string[]).includes(text);

/**
 * Parses the filter from the query of a URL. A list is written `a,b`, or as a repeated parameter.
 * @throws InvalidParameters with all problems
 */
export function csvFilterIn(query: Readonly<Record<string, unknown>>): CsvFilter {
  const problems: FieldProblem[] = [];
  const listIn = (field: string): string[] | null => {
    if (query[field] === undefined) return null;
    const values = [query[field]].flat().flatMap((text) => String(text).split(','));
    if (values.length > MAX_VALUES) problems.push({ field, reason: `must have at most ${MAX_VALUES} values` });
    if (!values.every(isStorable)) problems.push({ field, reason: UNSTORABLE });
    return values;
  };
  const timestampIn = (field: string): Date | null => {
    try {
      return query[field] === undefined ? null : (DateTime.parseValue(query[field]) as Date);
    } catch (error) {
      problems.push({ field, value: query[field], reason: (error as Error).message });
      return null;
    }
  };
  const [accountId, status, dateFrom, dateTo] = [listIn('account_id'), listIn('status'), timestampIn('date_from'), timestampIn('date_to')];
  const wrong = status?.find((one) => !isStatus(one));
  if (wrong !== undefined)
    problems.push({ field: 'status', value: wrong, reason: `must be one of ${Object.values(InvoiceStatus).join(', ')}` });
  if (dateFrom && dateTo && dateFrom > dateTo)
    problems.push({ field: 'date_to', value: query.date_to, reason: 'must not be before the beginning of the period' });
  refuse(problems);
  return { accountId, status: status?.filter(isStatus) ?? null, dateFrom, dateTo };
}
