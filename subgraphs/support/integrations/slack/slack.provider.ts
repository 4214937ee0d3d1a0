import type { SecretBox } from '../../../../kernel/access/secret-box.ts';
import { matches } from '../../../../kernel/events/events.ts';
import { HOUR_MS } from '../../../../kernel/values/days.ts';
import { ticketExample } from '../../tickets/ticket.events.ts';
import { ticketUrls } from '../../tickets/ticket-urls.ts';
import type { Attempt, Outcome, Provider } from '../integration.provider.ts';
import { isInternal, type ParsedEvent } from '../parsed-event.ts';
import type { SlackClient } from './slack.client.ts';
import { SlackIntegration } from './slack-integration.entity.ts';
import { type MessageOptions, messageOf, testMessage } from './slack-message.ts';

const SUPPORT = 'support';
const EXAMPLE: ParsedEvent = {
  id: 'evt_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  event: 'ticket.created',
  timestamp: ticketExample.created_at,
  data: { ticket: ticketExample },
};

/** Posts ticket events to Slack channels. Incoming webhooks accept about one message per second. */
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
    if (!isWanted(events, event)) return false;
    const priorities: readonly string[] = filters?.priorities ?? [];
    return priorities.length === 0 || priorities.includes(event.data.ticket?.priority ?? '');
  }

  /**
   * Posts a message. Slack cannot report whether a message arrived, so after an attempt without a response, the message
   * may be posted a second time.
   */
  deliver({ integration, event }: Attempt<SlackIntegration>): Promise<Outcome> {
    return this.client.post(this.#urlOf(integration), messageOf(event, this.#optionsFor(integration, event)));
  }

  /** Posts an example message in the format of the integration, so that the format is tested too. */
  test(integration: SlackIntegration): Promise<Outcome> {
    return this.client.post(this.#urlOf(integration), testMessage(EXAMPLE, this.#optionsFor(integration, EXAMPLE), this.origin));
  }

  #optionsFor({ channel, messageFormat }: SlackIntegration, { data: { ticket } }: ParsedEvent): MessageOptions {
    const url = ticket && ticketUrls(this.origin, ticket.id).customerPortal;
    return { channel, template: messageFormat.template, url };
  }

  #urlOf({ sealedWebhookUrl, id }: SlackIntegration): string {
    return this.secrets.open(sealedWebhookUrl, id);
  }
}

/**
 * Returns whether one of the patterns selects the event. An event about an internal comment is selected only by its
 * full event name, never by a pattern with a wildcard.
 */
function isWanted(patterns: readonly string[], event: ParsedEvent): boolean {
  const type = { name: event.event, family: SUPPORT };
  if (isInternal(event)) return patterns.some((pattern) => pattern === type.name || pattern === `${SUPPORT}.${type.name}`);
  return patterns.some((pattern) => matches(pattern, type));
}
