import type { LogConsumer, LoggedEvent } from '../../../kernel/events/events.ts';
import type { LineLevel } from '../../../kernel/log/organization-log.ts';
import type { LogStore } from './log.store.ts';
import { type CompleteLine, storedEntryOf } from './stored-entry.ts';

/** The fields of event payloads that appear in log entries. All of them may be missing. */
interface Payload {
  service?: { name?: string };
  changes?: Record<string, { from?: unknown; to?: unknown }>;
  reason?: string | null;
  webhook?: { id?: string; disabled_reason?: string | null };
}

type Told = Pick<CompleteLine, 'level' | 'message'> & { attributes?: Record<string, unknown> };

const LEVELS: Readonly<Record<string, LineLevel>> = { failed: 'error', down: 'error', degraded: 'warn', suspended: 'warn' };

/** Log messages by event type. Events of other types do not appear in the log. */
const TELL: Readonly<Record<string, (data: Payload) => Told>> = {
  'service.provisioned': ({ service }) => ({ level: 'info', message: `The service ${nameOf(service)} is operational for the first time.` }),
  'service.status_changed': (data) => statusLine(data),
  'service.decommissioned': (data) => statusLine(data),
  'service.modified': ({ service, changes = {} }) => ({
    level: 'info',
    message: `The service ${nameOf(service)} was changed: ${Object.keys(changes).join(', ')}.`,
    attributes: { changes },
  }),
  'webhook.disabled': ({ webhook }) => ({
    level: 'error',
    message: `The webhook ${webhook?.id ?? ''} was disabled: ${webhook?.disabled_reason ?? 'no reason is known'}.`,
    attributes: { webhook: webhook?.id ?? null },
  }),
};

/**
 * Adds a log entry for each event with a log message. The id of the entry is derived from the event, so that a repeated event does not add
 * a second entry.
 */
export const eventLines = (store: LogStore): LogConsumer => ({
  name: 'monitoring.logs',
  on: Object.keys(TELL),
  async consume(events) {
    await store.append(events.flatMap((event) => entriesOf(event)));
  },
});

function entriesOf({
  id,
  event,
  organizationId,
  accountId,
  subject,
  occurredAt,
  recordedAt = occurredAt,
  traceparent,
  payload,
}: LoggedEvent) {
  const told = TELL[event]?.((JSON.parse(payload) as { data: Payload }).data);
  if (!told) return [];
  const [source = ''] = event.split('.', 1);
  const line: CompleteLine = {
    ...told,
    organizationId,
    source,
    key: id,
    at: recordedAt,
    accountId: subject.type === 'Service' ? accountId : null,
    serviceId: subject.id,
    traceId: traceparent?.split('-')[1],
    attributes: { event, ...told.attributes },
  };
  return [storedEntryOf(line, { redacted: 0 })];
}

const nameOf = (service: Payload['service']): string => JSON.stringify(service?.name ?? '');

function statusLine({ service, changes, reason }: Payload): Told {
  const { from, to } = changes?.status ?? {};
  return {
    level: LEVELS[String(to)] ?? 'info',
    message: `The service ${nameOf(service)} changed from ${from} to ${to}${reason ? `: ${reason}` : '.'}`,
    attributes: { from, to, reason: reason ?? null },
  };
}
