/** Names of the data that an order of any product may require. All other required data are settings of the product (`requiredSettings`). */
export const LOCATION = 'location';
export const BANDWIDTH = 'bandwidth';
