import { API_VERSION } from './api-version.ts';

/**
 * Adds the envelope of specification 2.1 to a result, such as `"data":{}`. `requestId` and `timestamp` contain no characters that JSON escapes.
 */
export const envelope = (representation: string, requestId: string, timestamp: string): string =>
  `{"success":true,${representation},"metadata":{"request_id":"${requestId}","timestamp":"${timestamp}","version":"${API_VERSION}"}}`;
