import { OrderRejected } from '../providers/service.provider.ts';

/**
 * Number of failed attempts after which provisioning or a change fails. The last attempt is about 40 minutes after the
 * first.
 */
const MAX_FAILURES = 15;

/**
 * Returns the reason why provisioning or a change has failed for good; null if a retry may succeed. Details of an outage
 * are not shown to customers.
 */
export function finalReason(error: unknown, failures: number): string | null {
  if (error instanceof OrderRejected) return error.message;
  return failures >= MAX_FAILURES ? `The provider could not be reached in ${failures} attempts.` : null;
}
