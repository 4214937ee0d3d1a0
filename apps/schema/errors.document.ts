import { type ErrorCode, errorCodes, statusOf } from '../../kernel/errors/errors.ts';
import { resources } from '../../kernel/errors/resource.ts';

/** The meaning of each error code for callers. The type check fails if a code is missing here. */
const MEANINGS: Record<ErrorCode, string> = {
  INVALID_PARAMETERS:
    'A value in the path, the query or the body is invalid. `details.errors` lists the first 20 problems in the order of the body, each with `field`, `value` and `reason`. `details.problems_total` is the number of all problems.',
  INVALID_JSON: 'The body is not valid JSON in UTF-8.',
  MALFORMED_REQUEST: 'The data that arrived is not an HTTP request. The connection is closed.',
  UNSUPPORTED_VERSION: '`API-Version` names a version that is not available. `details.supported` lists the available ones.',
  SERVICE_UNAVAILABLE_AT_LOCATION:
    'This type of service is not available at the location. `details.alternatives` lists the types that are available there.',
  LOCATION_NOT_SERVICEABLE: 'No service is available at the location.',
  INSUFFICIENT_BANDWIDTH: 'The service is available at the location, but with less bandwidth than you requested.',
  INVALID_CREDENTIALS: 'The key or token is missing, unknown, malformed or revoked.',
  TOKEN_EXPIRED: 'The key or token has expired. Get a new one.',
  INVALID_SIGNATURE: 'The signature of the request is not valid. `details.reason` is the cause.',
  INSUFFICIENT_FUNDS: 'The payment method does not have enough funds.',
  PAYMENT_DECLINED: 'The payment was declined.',
  INSUFFICIENT_PERMISSIONS: 'The caller does not have the permission that `details.required` names.',
  IP_NOT_ALLOWED: 'The key may not be used from this address.',
  ACCESS_RESTRICTED: 'Access is restricted at this time or from this country. `details.restriction` says which.',
  ORGANIZATION_SUSPENDED:
    'The organization of the caller is suspended. All its credentials are refused, and its services continue to run. Contact the operator of the platform.',
  ORGANIZATION_CLOSED:
    'The organization of the caller is closed. All its credentials are refused, and its records are deleted 30 days after the closing. Contact the operator of the platform.',
  MFA_REQUIRED:
    'The user must verify a second factor first. Over REST the body is `{"error": "mfa_required", "challenge_id", "methods", "message"}`. Over GraphQL `details` has `challenge_id` and `methods`.',
  KEY_SUSPENDED:
    'These credentials exceeded the burst limit and are suspended until `details.suspended_until`. Wait for `Retry-After` seconds.',
  RESOURCE_NOT_FOUND: 'The record does not exist, or belongs to another organization. `details.resource` and `details.id` identify it.',
  ROUTE_NOT_FOUND: 'The path does not exist.',
  METHOD_NOT_ALLOWED: 'The path does not support this method. The header `Allow` lists the supported methods.',
  REQUEST_TIMEOUT: 'The request did not arrive in time, and the connection is closed. Send the request again.',
  ACCOUNT_SUSPENDED: 'The account is suspended and cannot order. Set its status to `active` first.',
  DUPLICATE_PAYMENT: 'This payment was already made.',
  DUPLICATE_RESOURCE: 'A record with the same unique value exists.',
  IDEMPOTENCY_CONFLICT: 'The `Idempotency-Key` was used with another body, or its first request is still running.',
  INVALID_STATE:
    'The status of the record does not allow the change. `details.from` is the status, `details.to` is the requested status, and `details.allowed` lists the allowed statuses. For other causes `details` names the records that prevent the change.',
  SERVICE_CONFLICT: 'The service already has a decommission, or the service that should receive its data is unsuitable.',
  SERVICE_MAINTENANCE: 'The service is in maintenance.',
  STALE_RESOURCE: 'The record has changed since you read it (`If-Match`). Get it again.',
  BODY_TOO_LARGE:
    'The decoded body is larger than the operation accepts: 256 KiB if its description does not state another limit, and 1 MiB over GraphQL.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not `application/json` in UTF-8, or its `Content-Encoding` is not gzip, deflate or br.',
  RATE_LIMIT_EXCEEDED:
    'A limit of the plan, the key or the operation is used up. `details.window` names the limit. Wait for `Retry-After` seconds.',
  HEADERS_TOO_LARGE: 'The request line and the headers have more than 16 KiB together. Send less, such as fewer cookies.',
  INTERNAL_ERROR: 'The platform failed. If it happens again, send us the request id.',
  SERVICE_UNAVAILABLE:
    'The platform cannot use its database at the moment. Wait for `Retry-After` seconds (`details.retry_after`), and send the request again. With `details.outcome` = `unknown` the change may have been made: get the record first.',
  PROVISIONING_FAILED: 'The network could not provide the service.',
};

/** Returns the table of error codes in the guide, generated from the error codes of the platform. */
export const errorCodeRows = (): string[] => [
  '| status | code | meaning, and what to do |',
  '| --- | --- | --- |',
  ...errorCodes.map((code) => `| ${statusOf(code)} | ${code} | ${MEANINGS[code]} |`),
  '',
  `\`details.resource\` is the type of the record that an error is about: ${resources.map((name) => `\`${name}\``).join(', ')}.`,
];
