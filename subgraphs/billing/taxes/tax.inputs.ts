import { Allow, IsISO8601, IsISO31661Alpha2, IsOptional, Matches } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Decimal } from '../../../kernel/values/money.ts';

const MAX_PERCENT_DECIMALS = 4;
const COUNTRY_REASON = 'must be a country code of two letters (ISO 3166-1) such as US';
const DATE_REASON = 'must be a date such as 2026-01-31';

/** Validates a date without a time. */
const IsDay = (): PropertyDecorator => (target, key) => {
  Matches(/^(?!0000)\d{4}-\d{2}-\d{2}$/, { message: DATE_REASON })(target, key);
  IsISO8601({ strict: true }, { message: DATE_REASON })(target, key);
};

const percentProblem = (percent: Decimal): string | undefined => {
  if (percent.isNegative() || percent.greaterThan(100)) return 'must be between 0 and 100';
  return percent.decimalPlaces() > MAX_PERCENT_DECIMALS ? `must have at most ${MAX_PERCENT_DECIMALS} decimals` : undefined;
};

@InputType({ description: 'Tax rate to create.' })
@Rule<TaxRateInput>(({ percent }) => {
  const reason = percent && percentProblem(percent);
  return reason ? [{ field: 'percent', value: percent, reason }] : [];
})
@Rule<TaxRateInput>(({ validFrom, validTo }) =>
  validFrom && validTo && validTo < validFrom ? [{ field: 'validTo', value: validTo, reason: 'must not be before validFrom' }] : [],
)
export class TaxRateInput {
  @Field(() => String, { description: 'Name as invoices show it, such as `VAT`. 1 to 100 characters.' })
  @Name(100)
  name!: string;

  @Field(() => Decimal, {
    description: `Percentage of the net amount, 0 to 100, with at most ${MAX_PERCENT_DECIMALS} decimals: 20 for 20 %.`,
  })
  @Allow(jsonSchema({ minimum: 0, maximum: 100 }))
  percent!: Decimal;

  @Field(() => String, { description: 'ISO 3166-1 code of the country of the customers, such as US.' })
  @Matches(/^[A-Z]{2}$/, { message: COUNTRY_REASON })
  @IsISO31661Alpha2({ message: COUNTRY_REASON })
  country!: string;

  @Field(() => String, {
    nullable: true,
    description: 'State or region, as the addresses of the customers state it, such as `NY`. Default: the whole country.',
  })
  @IsOptional()
  @Name(100)
  region?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Category of services in the catalog, such as `connectivity`. Default: all services.',
  })
  @IsOptional()
  @Characters(1, 100)
  category?: string | null;

  @Field(() => String, { description: 'First date of the rate, such as `2026-01-01`, in the time zone of the customer.' })
  @IsDay()
  validFrom!: string;

  @Field(() => String, { nullable: true, description: 'First date on which the rate is no longer due. Default: no end.' })
  @IsOptional()
  @IsDay()
  validTo?: string | null;
}

@InputType({
  description: 'New values of a tax rate. Omit a field to keep its value. The percentage and the sales for which it is due are fixed.',
})
export class TaxRateUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name as new invoices show it. 1 to 100 characters.' })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => String, { nullable: true, description: 'First date on which the rate is no longer due. Null removes the end.' })
  @IsOptional()
  @IsDay()
  validTo?: string | null;
}

@InputType({ description: 'Why an account pays no tax.' })
export class TaxExemptionInput {
  @Field(() => String, { description: 'Reason that invoices state, such as `Reverse charge`. 1 to 200 characters.' })
  @Name(200)
  reason!: string;

  @Field(() => String, { nullable: true, description: 'VAT number or another tax number of the customer, at most 50 characters.' })
  @IsOptional()
  @Name(50)
  taxId?: string | null;
}
