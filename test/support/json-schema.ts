import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isTimeZone } from '../../kernel/values/zones.ts';

/** Formats in the OpenAPI document that JSON Schema does not define. */
const FORMATS: Readonly<Record<string, true | RegExp | ((text: string) => boolean)>> = {
  cidr: true,
  'country-code': /^[A-Z]{2}$/,
  'currency-code': /^[A-Z]{3}$/,
  // exact decimals are JSON numbers, which need no further check
  decimal: true,
  'event-pattern': /^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$/,
  pem: /^\s*-----BEGIN /,
  'time-zone': isTimeZone,
};

/** Creates a validator for JSON Schema draft 2020-12 that checks formats. */
export function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  // depending on the module system, the CommonJS package is the function or has it as a property
  (typeof addFormats === 'function' ? addFormats : (addFormats as { default: typeof import('ajv-formats').default }).default)(ajv);
  for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, validate);
  return ajv;
}

/** The differences between a value and its schema, one per line. Empty if the value matches. */
export function deviationsFrom(ajv: Ajv2020, schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}
