import { ValidateBy } from 'class-validator';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';

const MAX_FEATURES = 50;
const FEATURE = /^[a-z][a-z0-9_]{0,49}$/;

/**
 * The features to switch on or off: either the names of all features that will be on, or an object with true or false
 * for each feature to switch.
 */
export type FeatureSelection = readonly string[] | Readonly<Record<string, boolean>>;

function isSelection(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const names: unknown[] = Array.isArray(value) ? value : Object.keys(value);
  const isKnown = names.length <= MAX_FEATURES && names.every((name) => typeof name === 'string' && FEATURE.test(name));
  return isKnown && (Array.isArray(value) || Object.values(value).every((isOn) => typeof isOn === 'boolean'));
}

/** Validates a selection of features. */
export const IsFeatureSelection = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isFeatureSelection', validator: { validate: isSelection } },
    {
      message: `must be a list of at most ${MAX_FEATURES} names of features, or an object with true or false for each name`,
      ...jsonSchema({
        anyOf: [
          { type: 'array', maxItems: MAX_FEATURES, items: { type: 'string', pattern: FEATURE.source } },
          { type: 'object', maxProperties: MAX_FEATURES, additionalProperties: { type: 'boolean' } },
        ],
      }),
    },
  );
