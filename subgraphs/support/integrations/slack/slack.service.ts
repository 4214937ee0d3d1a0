import type { SecretBox } from '../../../../kernel/access/secret-box.ts';
import type { FieldProblem } from '../../../../kernel/errors/errors.ts';
import { type EventType, matches } from '../../../../kernel/events/events.ts';
import { EventsNotReadable } from '../integration.errors.ts';
import { IntegrationService, type IntegrationServiceDeps } from '../integration.service.ts';
import { MONITORING_EVENTS, selectsMonitoring } from '../monitoring-events.ts';
import type { SlackIntegrationCreateInput, SlackIntegrationUpdateInput } from './slack.inputs.ts';
import { SlackIntegration } from './slack-integration.entity.ts';

const READ_MONITORING = 'monitoring:read';

export interface SlackServiceDeps extends IntegrationServiceDeps<SlackIntegration> {
  secrets: SecretBox;
  /** Event types that an integration can select. */
  eventTypes: readonly EventType[];
}

/** Manages the Slack integrations of the caller's organization (specification 2.7, 4.7). */
export class SlackIntegrationService extends IntegrationService<SlackIntegration> {
  constructor(private readonly own: SlackServiceDeps) {
    super(own, SlackIntegration, 'slack_integration', ['this webhook and channel', 'webhook_url']);
  }

  /**
   * Creates an integration. Does not check the connection to Slack; call `test` for this.
   * @throws InvalidParameters, IntegrationExists; EventsNotReadable for alerts and incidents if the caller may not read them
   */
  async create(input: SlackIntegrationCreateInput): Promise<SlackIntegration> {
    this.#requireReadable(input.events);
    await this.checkUrl('webhookUrl', input.webhookUrl);
    return this.insert(new SlackIntegration(), (integration) => {
      const { channel, active } = input;
      Object.assign(integration, { channel, active, events: [...new Set(input.events)] });
      integration.filters = input.filters ?? null;
      integration.messageFormat = input.messageFormat ?? {};
      this.#setUrl(integration, input.webhookUrl);
    });
  }

  /**
   * Updates an integration. To change its events or where they are sent, the caller must be allowed to read all its events
   * before and after the change, because waiting messages go to the new channel.
   * @throws ResourceNotFound, InvalidParameters, IntegrationExists, EventsNotReadable
   */
  async update(id: string, { webhookUrl, ...input }: SlackIntegrationUpdateInput): Promise<SlackIntegration> {
    if (webhookUrl) await this.checkUrl('webhookUrl', webhookUrl);
    return this.change(id, (integration) => {
      if (input.events || input.channel || webhookUrl) this.#requireReadable([...integration.events, ...(input.events ?? [])]);
      if (input.channel) integration.channel = input.channel;
      if (input.events) integration.events = [...new Set(input.events)];
      if (input.filters !== undefined) integration.filters = input.filters;
      if (input.messageFormat !== undefined) integration.messageFormat = input.messageFormat ?? {};
      if (input.active !== undefined) integration.setActive(input.active);
      if (webhookUrl || input.channel) this.#setUrl(integration, webhookUrl ?? this.own.secrets.open(integration.sealedWebhookUrl, id));
      if (webhookUrl) integration.forgetFailures();
    });
  }

  #setUrl(integration: SlackIntegration, text: string): void {
    const { secrets } = this.own;
    const url = new URL(text);
    integration.sealedWebhookUrl = secrets.seal(url.href, integration.id);
    integration.targetDigest = secrets.digest(`${url.href} ${integration.channel}`);
    integration.webhookUrlHint = `${url.host}/…${url.pathname.length > 16 ? url.pathname.slice(-4) : ''}`;
  }

  /** Checks that the caller may read the alerts and incidents that the patterns select. @throws EventsNotReadable */
  #requireReadable(patterns: readonly string[]): void {
    const selecting = patterns.find((pattern) => selectsMonitoring(pattern));
    if (selecting !== undefined && !this.own.principal.may(READ_MONITORING)) throw new EventsNotReadable(selecting, READ_MONITORING);
  }

  /** Returns a problem for each pattern that matches no event that can be sent to Slack. */
  problemsOf(patterns: readonly (string | null)[]): FieldProblem[] {
    const reason = `does not match any event of the support family, and none of ${MONITORING_EVENTS.map(({ name }) => name).join(', ')}. GET /v1/webhooks/events lists all events`;
    const isKnown = (pattern: string | null): boolean =>
      pattern === null || selectsMonitoring(pattern) || this.own.eventTypes.some((type) => matches(pattern, type));
    return patterns.flatMap((value, index) => (isKnown(value) ? [] : [{ field: `events.${index}`, value, reason }]));
  }
}
