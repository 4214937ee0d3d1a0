/**
 * Checks that billing does not compute with floating-point numbers. A conversion of an amount to a number is allowed only in
 * events and errors, whose values are numbers in JSON, and in the files listed here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'subgraphs/billing';
const CONVERSION = /\bNumber\(|\bparseFloat\(|\bparseInt\(|\.toNumber\(\)|\bvalueOf\(\)|\bMath\.(round|fround|ceil)\(/g;
const SHOWN_IN_JSON = /[.](events|errors)[.]ts$/;
const TESTS = /[.]test[.]ts$/;

/** Files that may convert, with the reason. */
const ALLOWED = {
  'analytics-scope/cost-analytics.service.ts': 'a trend is an estimate; the costs themselves are exact',
  'analytics-scope/usage-analytics.service.ts': 'quantities of a trend, not amounts',
  'analytics/revenue.store.ts': 'numbers of payments, not amounts',
  'budgets/budget-period.ts': 'the month of a date',
  'budgets/budget.service.ts': 'the details of an error are numbers in JSON',
  'budgets/budget.sweeper.ts': 'the usage in an event is a number in JSON',
  'costs/months.ts': 'the year and month of a date',
  'credits/credit-notes.ts': 'the details of an error are numbers in JSON',
  'invoices/invoice-change.ts': 'the changes in an event are numbers in JSON',
  'invoices/invoice-pricing.ts': 'the details of an error are numbers in JSON',
  'payments/payment.service.ts': 'the details of an error are numbers in JSON',
  'subscriptions/next-period.ts': 'the day of a date',
  'usage-prices/usage-price.inputs.ts': 'the details of an error are numbers in JSON',
  'usage/metered-lines.store.ts': 'a number of rows',
  'usage/metered-services.ts': 'a number of queries',
  'usage/usage-period.ts': 'the day of a date',
  'usage/usage.store.ts': 'a number of events',
  'processors/stripe-amounts.ts': "Stripe's API has whole numbers of the smallest unit; the conversion is exact or refused",
};

const files = readdirSync(FOLDER, { recursive: true })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !SHOWN_IN_JSON.test(file) && !TESTS.test(file))
  .sort();
const found = new Map(files.map((file) => [file, conversionsIn(join(FOLDER, file))]));
const problems = [...found].filter(([file]) => !(file in ALLOWED)).flatMap(([, list]) => list);
for (const file of Object.keys(ALLOWED))
  if (!found.get(file)?.length) problems.push(`scripts/check-money.mjs lists ${file}, which has no conversion. Remove it from the list.`);

for (const problem of problems) console.error(`${problem}\n`);
console.log(`Money: ${files.length} files, ${problems.length} problems.`);
process.exitCode = problems.length > 0 ? 1 : 0;

function conversionsIn(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const code = line.replace(/^\s*(\/\/|\*|\/\*).*/, '');
    return [...code.matchAll(CONVERSION)].map(
      ([text]) =>
        `${path}:${index + 1}: ${text} makes a floating-point number.\n  Compute with Decimal (kernel/values/money.ts). If no amount is concerned, list the file with the reason in scripts/check-money.mjs.`,
    );
  });
}
