import { UnknownToken } from './payment-processor.ts';

/** Matches a text of digits, optionally separated by single spaces or dashes, as in a typed card number. */
const NUMBER_LIKE = /^\s*\d(?:[\s-]*\d){11,18}\s*$/;

/**
 * Returns true if a text looks like a card number: 12 to 19 digits with a valid Luhn checksum, with or without spaces and dashes. The
 * platform must not store a card number, because the rules of the card networks (PCI DSS) would apply to the platform.
 */
export function isCardNumber(text: string): boolean {
  if (!NUMBER_LIKE.test(text)) return false;
  const digits = text.replace(/\D/g, '');
  let total = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = digit.charCodeAt(0) - 48;
    const doubled = index % 2 === 1 ? value * 2 : value;
    total += doubled > 9 ? doubled - 9 : doubled;
  }
  return total % 10 === 0;
}

/**
 * Rejects a card number that was sent instead of a token.
 * @throws UnknownToken without the number
 */
export function refuseCardNumber(token: string): void {
  if (isCardNumber(token))
    throw new UnknownToken('must be a token of the payment processor, not a card number. Never send card numbers to this API.');
}
