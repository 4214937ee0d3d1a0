import { type ErrorCode, errorCodes, statusOf } from '../../kernel/errors/errors.ts';
import { resources } from '../../kernel/errors/resource.ts';

/** What each code means to a caller. A new code does not compile until it stands here. */
const MEANINGS: Record<ErrorCode, string> = {
  INVALID_PARAMETERS:
    'Something in the path, query or body is not as it must be. `details.errors` lists the first 20 problems in the order of the body, each with `field`, `value` and `reason`; `details.problems_total` says how many there are.',
  INVALID_JSON: 'The body is not valid JSON in UTF-8.',
  MALFORMED_REQUEST: 'What arrived is no HTTP request. The connection is closed.',
  UNSUPPORTED_VERSION: '`API-Version` names a version that is not served; `details.supported` lists those that are.',
  SERVICE_UNAVAILABLE_AT_LOCATION: 'The kind of service does not reach the location; `details.alternatives` says what does.',
  LOCATION_NOT_SERVICEABLE: 'Nothing reaches the location.',
  INSUFFICIENT_BANDWIDTH: 'The service reaches the location, with less bandwidth than was asked for.',
  INVALID_CREDENTIALS: 'The key or token is missing, unknown, malformed or revoked.',
  TOKEN_EXPIRED: 'The key or token was valid once.',
  INVALID_SIGNATURE: 'The signature of the request does not verify.',
  INSUFFICIENT_FUNDS: 'The payment method lacks funds.',
  PAYMENT_DECLINED: 'The payment was declined.',
  INSUFFICIENT_PERMISSIONS: 'The caller is known and lacks the permission that `details.required` names.',
  IP_NOT_ALLOWED: 'The key may not be used from this address.',
  ACCESS_RESTRICTED: 'Access is restricted at this time or from this place.',
  ORGANIZATION_SUSPENDED:
    'The organization of the caller is suspended: all its credentials are refused, its services run on. Contact the operator of the platform.',
  ORGANIZATION_CLOSED:
    'The organization of the caller is closed: all its credentials are refused, and its records are deleted 30 days after it was closed. Contact the operator of the platform.',
  MFA_REQUIRED:
    'A user must show a second factor first. Over REST the body is `{"error": "mfa_required", "challenge_id", "methods", "message"}` (2.4); over GraphQL `details` holds `challenge_id` and `methods`.',
  KEY_SUSPENDED:
    'These credentials exceeded the burst limit and are suspended until `details.suspended_until`. Wait for `Retry-After` seconds.',
  RESOURCE_NOT_FOUND:
    'There is no such record for this caller; `details.resource` and `details.id` say which. Another organization’s record reads the same.',
  ROUTE_NOT_FOUND: 'There is no such path.',
  METHOD_NOT_ALLOWED: 'The path has other methods; the header `Allow` lists them.',
  REQUEST_TIMEOUT: 'The request did not arrive in time. The connection is closed; send it again.',
  ACCOUNT_SUSPENDED: 'The account that the request names is suspended, and orders nothing: set its status to active first.',
  DUPLICATE_PAYMENT: 'The payment was made before.',
  DUPLICATE_RESOURCE: 'A record with the same identity exists.',
  IDEMPOTENCY_CONFLICT: 'The `Idempotency-Key` was used with another body, or its first request is still running.',
  INVALID_STATE:
    'The record cannot go from `details.from` to `details.to`; `details.allowed` lists where it can go. Or something else forbids it, which `details` names.',
  SERVICE_CONFLICT: 'The configuration conflicts with what is there.',
  SERVICE_MAINTENANCE: 'The service is in maintenance.',
  STALE_RESOURCE: 'The record changed since it was read (`If-Match`). Read it again.',
  BODY_TOO_LARGE:
    'The body is larger, once decoded, than the operation accepts: 256 KiB, unless its description says otherwise; over GraphQL 1 MiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not `application/json` in UTF-8, or its `Content-Encoding` is none of gzip, deflate and br.',
  RATE_LIMIT_EXCEEDED:
    'A limit of the plan, the key or the operation is used up; `details.window` says which. Wait for `Retry-After` seconds.',
  HEADERS_TOO_LARGE: 'The request line and the headers have more than 16 KiB together. Send less, such as fewer cookies.',
  INTERNAL_ERROR: 'Something failed on our side. Quote the request id if it persists.',
  SERVICE_UNAVAILABLE:
    'The platform cannot reach its database or store anything at the moment. Wait for `Retry-After` seconds (`details.retry_after`) and repeat the request. With `details.outcome` = `unknown` a change may have been made: read the record first.',
  PROVISIONING_FAILED: 'The network could not provide the service.',
};

/** The table of error codes in the guide, from the table that the platform uses. */
export const errorCodeRows = (): string[] => [
  '| status | code | meaning, and what to do |',
  '| --- | --- | --- |',
  ...errorCodes.map((code) => `| ${statusOf(code)} | ${code} | ${MEANINGS[code]} |`),
  '',
  `\`details.resource\` is the type of the record that an error is about: ${resources.map((name) => `\`${name}\``).join(', ')}.`,
];
