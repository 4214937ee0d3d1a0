import { IsISO4217CurrencyCode, IsNotIn, Matches } from 'class-validator';
import { NOT_MONEY } from '../values/money.ts';

const REASON = 'must be an ISO 4217 currency code such as USD';

/** Validates the code of a currency in which amounts can be billed. Codes that are not currencies, such as XAU (gold), are refused. */
export const IsCurrency = (): PropertyDecorator => (target, key) => {
  Matches(/^[A-Z]{3}$/, { message: REASON })(target, key);
  IsISO4217CurrencyCode({ message: REASON })(target, key);
  IsNotIn(NOT_MONEY, { message: 'must be money, not a metal or a unit of account' })(target, key);
};
