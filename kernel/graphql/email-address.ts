import { ValidateBy } from 'class-validator';
import { EMAIL_LENGTH_MAX, normalizedEmail } from '../values/email.ts';
import { jsonSchema } from './json-schema.ts';
import { normalizes } from './normalize-input.ts';

const isAddress = (value: unknown): boolean => typeof value === 'string' && normalizedEmail(value) !== undefined;
const normalized = (value: unknown): unknown => (typeof value === 'string' ? (normalizedEmail(value) ?? value) : value);

/**
 * Validates an e-mail address, or with `each` a list of e-mail addresses. Resolvers get the normalized address
 * (kernel/values/email.ts).
 */
export const EmailAddress =
  (message = 'must be an e-mail address', { each = false }: { each?: boolean } = {}): PropertyDecorator =>
  (target, key) => {
    ValidateBy(
      { name: 'isEmailAddress', validator: { validate: isAddress } },
      { message, each, ...jsonSchema({ format: 'email', maxLength: EMAIL_LENGTH_MAX }) },
    )(target, key);
    normalizes(target, key, (value) => (Array.isArray(value) ? value.map(normalized) : normalized(value)));
  };
