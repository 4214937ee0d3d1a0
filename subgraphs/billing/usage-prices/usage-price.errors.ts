import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: another price of the same usage becomes valid later. */
export class LaterPriceExists extends PlatformError {
  constructor(id: string, validFrom: Date) {
    super('INVALID_STATE', `The price ${id} becomes valid at ${validFrom.toISOString()}. End it first, or set a later time.`, {
      usage_price_id: id,
      valid_from: validFrom.toISOString(),
    });
  }
}

/** 409: the usage price has already ended. */
export class PriceHasEnded extends PlatformError {
  constructor(id: string, validUntil: Date) {
    super('INVALID_STATE', `The price ${id} has ended, or was replaced.`, { usage_price_id: id, valid_until: validUntil.toISOString() });
  }
}

/** 409: the organization has too many prices. */
export class TooManyPrices extends PlatformError {
  constructor(limit: number) {
    super('INVALID_STATE', `An organization has at most ${limit} usage prices without an end. End some of them first.`, { limit });
  }
}
