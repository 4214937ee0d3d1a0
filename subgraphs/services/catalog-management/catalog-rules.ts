import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import type { Valid } from '../../../kernel/graphql/rule.ts';
import { type Decimal, isPayable } from '../../../kernel/values/money.ts';
import { parseBandwidth } from '../coverage/bandwidth.ts';
import type {
  CatalogBandwidthInput,
  CatalogFeatureInput,
  CatalogSlaInput,
  CatalogTermDiscountsInput,
} from './catalog-management.inputs.ts';

/** Currency of all prices in the catalog. */
export const CURRENCY = 'USD';
const MAX_PRICE = 10_000_000;
const MAX_UPLIFT = 1000;

/** The options and prices of a catalog service, as an operator sends them. */
interface Offered {
  startingPrice?: Decimal;
  installationFee?: Decimal;
  bandwidths?: CatalogBandwidthInput[];
  slas?: CatalogSlaInput[];
  features?: CatalogFeatureInput[];
}

/**
 * Lists invalid prices and percentages, repeated options, and features that need a feature that is not in the list. A
 * starting price must be the lowest price of the bandwidths.
 */
export function offeredProblems({ startingPrice, installationFee, bandwidths, slas, features }: Valid<Offered>): FieldProblem[] {
  const sizes = bandwidths?.map((one) => (one?.bandwidth === undefined ? null : parseBandwidth(one.bandwidth)));
  const names = features?.map((one) => one?.name);
  return [
    ...priceProblems('startingPrice', startingPrice),
    ...priceProblems('installationFee', installationFee),
    ...startingProblems(startingPrice, bandwidths),
    ...(bandwidths ?? []).flatMap((one, index) => priceProblems(`bandwidths.${index}.monthlyPrice`, one?.monthlyPrice)),
    ...repeated('bandwidths', 'bandwidth', sizes ?? []),
    ...(slas ?? []).flatMap((one, index) => [
      ...percentProblems(`slas.${index}.percent`, one?.percent, MAX_UPLIFT),
      ...percentProblems(`slas.${index}.uptimePercentage`, one?.uptimePercentage, 100),
    ]),
    ...repeated('slas', 'name', slas?.map((one) => one?.name) ?? []),
    ...(features ?? []).flatMap((one, index) => priceProblems(`features.${index}.monthlyPrice`, one?.monthlyPrice)),
    ...repeated('features', 'name', names ?? []),
    ...(features ?? []).flatMap((one, index) => needsProblems(`features.${index}.needs`, one, names ?? [])),
  ];
}

/** Lists invalid percentages, and terms that have two discounts. */
export const termDiscountProblems = ({ discounts }: Valid<CatalogTermDiscountsInput>): FieldProblem[] => [
  ...(discounts ?? []).flatMap((one, index) => percentProblems(`discounts.${index}.percent`, one?.percent, 100)),
  ...repeated('discounts', 'months', discounts?.map((one) => one?.months) ?? []),
];

function startingProblems(stated: Decimal | undefined, bandwidths: Valid<Offered>['bandwidths']): FieldProblem[] {
  const prices = (bandwidths ?? []).flatMap((one) => (one?.monthlyPrice ? [one.monthlyPrice] : []));
  const [first, ...others] = prices;
  if (!stated || !first) return [];
  const lowest = others.reduce((low, price) => (price.lessThan(low) ? price : low), first);
  return stated.equals(lowest)
    ? []
    : [
        {
          field: 'startingPrice',
          value: stated,
          reason: `must be the lowest price of the bandwidths, ${lowest.toFixed()}; it may be omitted`,
        },
      ];
}

function priceProblems(field: string, value: Decimal | undefined): FieldProblem[] {
  if (!value) return [];
  if (value.isNegative() || value.greaterThan(MAX_PRICE)) return [{ field, value, reason: `must be between 0 and ${MAX_PRICE}` }];
  return isPayable(value, CURRENCY) ? [] : [{ field, value, reason: 'must not have fractions of a cent' }];
}

const percentProblems = (field: string, value: Decimal | undefined, maximum: number): FieldProblem[] =>
  value && (value.isNegative() || value.greaterThan(maximum) || value.decimalPlaces() > 4)
    ? [{ field, value, reason: `must be between 0 and ${maximum}, with at most 4 decimal places` }]
    : [];

/** Returns a problem for each list entry that repeats an earlier entry. Two texts such as 1gbps and 1000mbps are the same bandwidth. */
const repeated = (list: string, member: string, keys: readonly (string | number | null | undefined)[]): FieldProblem[] =>
  keys.flatMap((key, index) =>
    key !== null && key !== undefined && keys.indexOf(key) < index
      ? [{ field: `${list}.${index}.${member}`, value: key, reason: 'must be unique' }]
      : [],
  );

const needsProblems = (path: string, feature: Valid<CatalogFeatureInput> | null, names: readonly (string | undefined)[]): FieldProblem[] =>
  (feature?.needs ?? []).flatMap((need, index) => {
    if (need === null || (names.includes(need) && need !== feature?.name)) return [];
    return [{ field: `${path}.${index}`, value: need, reason: 'must be the name of another feature of the list' }];
  });
