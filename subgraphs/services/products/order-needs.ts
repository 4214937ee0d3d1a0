/**
 * Names of the data that an order of any product may need. All other data that an order needs are settings of its product
 * (`requiredSettings`).
 */
export const LOCATION = 'location';
export const BANDWIDTH = 'bandwidth';
