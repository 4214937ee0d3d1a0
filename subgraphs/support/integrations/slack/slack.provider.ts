import type { SecretBox } from '../../../../kernel/access/secret-box.ts';
import { matches } from '../../../../kernel/events/events.ts';
import { HOUR_MS } from '../../../../kernel/values/days.ts';
import { ticketExample } from '../../tickets/ticket.events.ts';
import { ticketUrls } from '../../tickets/ticket-urls.ts';
import type { Attempt, Outcome, Provider } from '../integration.provider.ts';
import { isMonitoringEvent, selectsMonitoring } from '../monitoring-events.ts';
import { isInternal, type ParsedEvent } from '../parsed-event.ts';
import type { SlackClient } from './slack.client.ts';
import { SlackIntegration } from './slack-integration.entity.ts';
import { type MessageOptions, messageOf, testMessage } from './slack-message.ts';

const SUPPORT = 'support';
const [id, timestamp] = ['evt_01JQ8Z6V4T9M3N2B1C0D9E8F7G', ticketExample.created_at];
const TICKET_EXAMPLE: ParsedEvent = { id, event: 'ticket.created', timestamp, data: { ticket: ticketExample } };
const ALERT_EXAMPLE: ParsedEvent = {
  ...{ id, event: 'alert.firing', timestamp },
  data: {
    alert: {
      ...{ name: 'High latency', description: 'Call the carrier.', severity: 'critical', state: 'firing', service_id: null },
      ...{ metric: 'latency_ms', labels: [], aggregation: 'avg', condition: 'above', threshold: 100, lower_threshold: null },
      window_seconds: 300,
    },
    instance: {
      ...{ service_id: null, labels: { region: 'east' }, state: 'firing', reason: 'value', value: 184.2 },
      ...{ since: timestamp, is_repeated: false },
    },
  },
};
const INCIDENT_EXAMPLE: ParsedEvent = {
  ...{ id, event: 'incident.opened', timestamp },
  data: {
    incident: {
      ...{ number: 'INC-1001', title: 'Outage in New York, NY', status: 'investigating', severity: 'major' },
      ...{ service_count: 1, started_at: timestamp },
    },
    update: { message: 'A service is down. The connection is down.' },
  },
};

/** Posts events of tickets, alerts and incidents to Slack channels. Incoming webhooks accept about one message per second. */
export class SlackProvider implements Provider<SlackIntegration> {
  readonly kind = 'slack';
  readonly entity = SlackIntegration;
  /** Deliveries expire after one day, because a channel is for current events. */
  readonly expiryMs = 24 * 3_600_000;
  readonly paceMs = 1000;
  readonly backoff = { firstMs: 5000, factor: 3, maxMs: HOUR_MS };

  constructor(
    private readonly client: SlackClient,
    private readonly secrets: SecretBox,
    private readonly origin: string,
  ) {}

  wants({ events, filters }: SlackIntegration, event: ParsedEvent): boolean {
    // the priorities are those of tickets
    if (isMonitoringEvent(event.event)) return events.some((pattern) => selectsMonitoring(pattern, event.event));
    if (!isWanted(events, event)) return false;
    const priorities: readonly string[] = filters?.priorities ?? [];
    return priorities.length === 0 || priorities.includes(event.data.ticket?.priority ?? '');
  }

  /**
   * Posts a message. Slack cannot report whether a message arrived, so if an attempt gets no response, the message may
   * be posted a second time.
   */
  deliver({ integration, event }: Attempt<SlackIntegration>): Promise<Outcome> {
    return this.client.post(this.#urlOf(integration), messageOf(event, this.#optionsFor(integration, event)));
  }

  /** Posts an example message in the format of the integration, so that the format is tested too. */
  test(integration: SlackIntegration): Promise<Outcome> {
    const example = exampleFor(integration.events);
    return this.client.post(this.#urlOf(integration), testMessage(example, this.#optionsFor(integration, example), this.origin));
  }

  #optionsFor({ channel, messageFormat }: SlackIntegration, { data: { ticket } }: ParsedEvent): MessageOptions {
    const url = ticket && ticketUrls(this.origin, ticket.id).customerPortal;
    return { channel, template: messageFormat.template, url };
  }

  #urlOf({ sealedWebhookUrl, id }: SlackIntegration): string {
    return this.secrets.open(sealedWebhookUrl, id);
  }
}

/** Returns an example of the events that the patterns select: of a ticket if they select any event of the support family. */
function exampleFor(patterns: readonly string[]): ParsedEvent {
  if (!patterns.every((pattern) => selectsMonitoring(pattern))) return TICKET_EXAMPLE;
  const hasAlerts = patterns.some((pattern) => selectsMonitoring(pattern, 'alert.firing') || selectsMonitoring(pattern, 'alert.resolved'));
  return hasAlerts ? ALERT_EXAMPLE : INCIDENT_EXAMPLE;
}

/**
 * Returns whether one of the patterns selects the event of the support family. An event about an internal comment is selected only by its
 * full event name, never by a pattern with a wildcard.
 */
function isWanted(patterns: readonly string[], event: ParsedEvent): boolean {
  const type = { name: event.event, family: SUPPORT };
  if (isInternal(event)) return patterns.some((pattern) => pattern === type.name || pattern === `${SUPPORT}.${type.name}`);
  return patterns.some((pattern) => matches(pattern, type));
}
