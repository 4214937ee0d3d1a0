import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { Decimal, minorDigits } from '../../../kernel/values/money.ts';

/** Number of transfers that one statement reads. The memory contains only one page of transfers at a time. */
const PAGE = 1_000;

/** A part of the ledger: the transfers from `from` (inclusive) to `to` (exclusive). */
export interface JournalRange {
  from: Date | null;
  to: Date;
}

/** A transfer of the ledger, as the journal shows it. */
export interface JournalTransfer {
  created_at: Date | string;
  source: string;
  kind: string;
  account_id: string;
  invoice_id: string | null;
  number: string | null;
  currency: string;
  debit: string;
  credit: string;
  amount: string;
}

/** Names of the ledger accounts in the journal. Each name begins with an account type of hledger. */
const NAMES: Readonly<Record<string, string>> = {
  receivable: 'assets:receivable',
  revenue: 'revenues',
  tax: 'liabilities:tax',
  credit: 'liabilities:credit',
  losses: 'expenses:losses',
  goodwill: 'expenses:goodwill',
  writeoff: 'expenses:write-offs',
};

/** Yields the transfers in chronological order. A caller who is limited to accounts gets only the transfers of these accounts. */
export async function* transfersIn(
  rows: Pick<Rows, 'query'>,
  { organizationId, accounts }: RecordScope,
  { from, to }: JournalRange,
): AsyncGenerator<JournalTransfer[]> {
  const text = `select t."created_at", t."source", t."kind", t."account_id", t."invoice_id", i."number", t."currency", t."debit", t."credit",
      t."amount"::text
    from "billing"."ledger_transfer" t left join "billing"."invoice" i on i."id" = t."invoice_id"
    where t."organization_id" = $1 and ($2::text[] is null or t."account_id" = any($2)) and t."created_at" < $3
      and (t."created_at", t."source", t."kind") > ($4::timestamptz, $5::text, $6::text)
    order by t."created_at", t."source", t."kind" limit ${PAGE}`;
  let after: readonly [Date | string, string, string] = [from ?? new Date(0), '', ''];
  for (;;) {
    const page = await rows.query<JournalTransfer>(text, [organizationId, accounts, to, ...after]);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = [last.created_at, last.source, last.kind];
  }
}

/**
 * Writes transfers as a journal of plain text accounting, which `hledger check --strict` accepts: each account and currency is
 * declared before its first use.
 */
export class JournalWriter {
  readonly #declared = new Set<string>();

  begin(organizationId: string, { from, to }: JournalRange): string {
    const first = from ? `from ${from.toISOString()} ` : '';
    return `; Ledger of ${plain(organizationId)}, ${first}until ${to.toISOString()}\ndecimal-mark .\n`;
  }

  page(transfers: readonly JournalTransfer[]): string {
    return transfers.map((transfer) => this.#transaction(transfer)).join('');
  }

  #transaction(transfer: JournalTransfer): string {
    const { created_at, source, kind, account_id, invoice_id, number, debit, credit } = transfer;
    const currency = currencyOf(transfer.currency);
    const digits = minorDigits(currency);
    const amount = new Decimal(transfer.amount);
    // an amount of an older currency rule may have more decimal places
    const text = amount.toFixed(Math.max(digits, amount.decimalPlaces()));
    const [to, from] = [nameOf(debit), nameOf(credit)];
    const at = new Date(created_at);
    const tags = [`time:${at.toISOString()}`, `source:${plain(source)}`, `account:${plain(account_id)}`];
    if (invoice_id !== null) tags.push(`invoice:${plain(invoice_id)}`);
    const code = number === null ? '' : `(${plain(number)}) `;
    const declarations = [
      this.#declare(`commodity ${new Decimal(1000).toFixed(digits)}${digits === 0 ? '.' : ''} ${currency}`),
      this.#declare(`account ${to}`),
      this.#declare(`account ${from}`),
    ].join('');
    const transaction = `\n${dateOf(at)} * ${code}${plain(kind)}  ; ${tags.join(', ')}\n    ${to}  ${text} ${currency}\n    ${from}  -${text} ${currency}\n`;
    return `${declarations && '\n'}${declarations}${transaction}`;
  }

  #declare(line: string): string {
    if (this.#declared.has(line)) return '';
    this.#declared.add(line);
    return `${line}\n`;
  }
}

const nameOf = (account: string): string => {
  const [kind = '', detail] = account.split(':', 2);
  if (kind === 'cash') return `assets:cash:${plain(detail ?? 'unknown')}`;
  return NAMES[kind] ?? `equity:${plain(account)}`;
};

/**
 * Replaces all characters that have a special meaning in a journal. Ids, numbers and transfer kinds of the platform do not contain these
 * characters.
 */
export const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}_.-]/gu, '_') || '_';

/**
 * Returns the letters of a currency code, because hledger accepts other characters only in quotes. Returns `XXX` if the code has no
 * letters.
 */
const currencyOf = (currency: string): string => currency.replaceAll(/[^A-Za-z]/g, '') || 'XXX';
