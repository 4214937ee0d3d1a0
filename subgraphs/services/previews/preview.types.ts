import { Field, Int, ObjectType } from 'type-graphql';
import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { PriceLine } from '../inventory/price-line.ts';

@ObjectType({ description: 'Reason why an order or a change would be refused.' })
export class PreviewProblem {
  @Field(() => String, { description: 'Error code, such as `INSUFFICIENT_BANDWIDTH`.' })
  code!: string;

  @Field(() => String, { nullable: true, description: 'Field of the input, such as `bandwidth`. Null if no single field is wrong.' })
  field!: string | null;

  @Field(() => String, { description: 'Description of the problem.' })
  message!: string;

  @Field(() => JsonObject, { description: 'Details of the error, such as the alternatives at a location.' })
  details!: Record<string, unknown>;
}

@ObjectType({ description: 'One part of a monthly price.' })
export class PricePart {
  @Field(() => String, { description: 'Item that the part of the price is for: `bandwidth:1000mbps`, `feature:static_ip` or `base`.' })
  item!: string;

  @Field(() => String, { description: 'Unit of the catalog, such as `month` or `site/month`.' })
  unit!: string;

  @Field(() => Int, { description: 'Number of units.' })
  quantity!: number;

  @Field(() => Decimal, { description: 'Price of one unit, including service level and discount.' })
  unitPrice!: Decimal;
}

@ObjectType({ description: 'Prices of an order, or the reason why it would be refused. Nothing is stored.' })
export class OrderPreview {
  @Field(() => [PreviewProblem], { description: 'Reasons why the order would be refused. Empty if it would be accepted.' })
  problems!: PreviewProblem[];

  @Field(() => Decimal, { nullable: true, description: 'Price for one month, in `currency`. Null if the order would be refused.' })
  monthlyPrice!: Decimal | null;

  @Field(() => Decimal, { nullable: true, description: 'Price that is charged once. Null if the order would be refused.' })
  oneTimeFee!: Decimal | null;

  @Field(() => String, { nullable: true, description: 'ISO 4217 code of the prices. Null if the order would be refused.' })
  currency!: string | null;

  @Field(() => [PricePart], { description: 'Parts of the monthly price. Empty if the order would be refused.' })
  parts!: PricePart[];
}

@ObjectType({ description: 'Effect of a change of a service, or the reason why it would be refused. Nothing is stored.' })
export class ChangePreview {
  @Field(() => [PreviewProblem], { description: 'Reasons why the change would be refused. Empty if it would be accepted.' })
  problems!: PreviewProblem[];

  @Field(() => JsonObject, {
    nullable: true,
    description: 'Old and new values of the fields that would change. Empty if nothing would change; null if the change would be refused.',
  })
  changes!: Record<string, unknown> | null;

  @Field(() => Decimal, { nullable: true, description: 'Price for one month after the change. Null if the change would be refused.' })
  monthlyPrice!: Decimal | null;

  @Field(() => Decimal, { nullable: true, description: 'Difference of the monthly price. Null if the change would be refused.' })
  priceDifference!: Decimal | null;
}

export const partsOf = (lines: readonly PriceLine[]): PricePart[] =>
  lines.map(({ item, unit, quantity, unitPrice }) => ({ item, unit, quantity, unitPrice: new Decimal(unitPrice) }));

/** Converts an error that refuses an order or a change to the problems of a preview. Throws any other error again. */
export function problemsOf(error: unknown): PreviewProblem[] {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  const { code, message, details } = error;
  if (!(error instanceof InvalidParameters)) return [{ code, field: null, message, details }];
  return error.problems.map(({ field, reason }) => ({ code, field, message: reason, details: {} }));
}
