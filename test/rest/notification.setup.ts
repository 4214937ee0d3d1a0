import type { Mail } from '../../kernel/messages/mail.ts';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

export const HOUR_MS = 3_600_000;

export const freshEmail = (): string => `${newId('user').toLowerCase()}@example.com`;

export const notify = (tenant: Tenant, { id }: Json, body: object): Promise<RestResponse> =>
  tenant.rest('POST', `/support/tickets/${id}/notify`, { body });

export const emailTo = (email: string, more: object = {}) => ({
  type: 'email',
  recipients: [{ email }],
  template: 'ticket_update',
  ...more,
});

/** Waits for the first email to an address and returns it. */
export async function mailTo(email: string): Promise<Mail> {
  const { mails } = await rig();
  return eventually(() => mails.find(({ to }) => to === email));
}

/** Waits until no recipient of the ticket's newest notification is queued, and returns the recipients. */
export const settled = (tenant: Tenant, { id }: Json): Promise<Json[]> =>
  eventually(async () => {
    const { body } = await tenant.rest('GET', `/support/tickets/${id}/notifications`);
    const { recipients } = body.data[0];
    return recipients.every(({ status }: Json) => status !== 'queued') && recipients;
  });

/** The status of an error response and the fields in its details. */
export const problems = ({ status, body }: RestResponse): [number, string[]] => [
  status,
  body.error?.details.errors.map(({ field }: Json) => field),
];
