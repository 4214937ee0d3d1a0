import type { FastifyInstance } from 'fastify';
import type { Principal } from '../../../kernel/access/principal.ts';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { EventType, LogConsumer } from '../../../kernel/events/events.ts';
import { HttpClient } from '../../../kernel/outbound/http.client.ts';
import { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import type { CommentWriter } from '../comments/comment-writer.ts';
import type { SupportPorts } from '../ports.ts';
import { JIRA_API_TOKENS, JIRA_INBOUND_SECRETS, SLACK_WEBHOOK_URLS } from '../sealed.ts';
import { sampleIntegrations } from './integration-metrics.ts';
import { IntegrationQueue } from './integration-queue.ts';
import { JiraClient } from './jira/jira.client.ts';
import { JiraProvider } from './jira/jira.provider.ts';
import { mountJira } from './jira/jira.routes.ts';
import { JiraIntegrationService } from './jira/jira.service.ts';
import { JiraInbound } from './jira/jira-inbound.ts';
import type { JiraIntegration } from './jira/jira-integration.entity.ts';
import { isMonitoringEvent, MONITORING_EVENTS } from './monitoring-events.ts';
import { SlackClient } from './slack/slack.client.ts';
import { SlackProvider } from './slack/slack.provider.ts';
import { SlackIntegrationService } from './slack/slack.service.ts';
import type { SlackIntegration } from './slack/slack-integration.entity.ts';

const USER_AGENT = 'Telecom-Platform-Integrations/1.2';

/** The Slack and Jira integrations of the support domain. */
export class Integrations {
  #stopSampling: (() => void) | undefined;
  readonly #guard: UrlGuard;
  readonly #client: HttpClient;
  readonly #secrets: Record<'webhookUrls' | 'tokens' | 'inbound', SecretBox>;
  readonly #slack: { provider: SlackProvider; queue: IntegrationQueue<SlackIntegration> };
  readonly #jira: { provider: JiraProvider; queue: IntegrationQueue<JiraIntegration> };
  readonly #inbound: JiraInbound;

  constructor(
    private readonly ports: SupportPorts,
    /** Event types of the support family. */
    private readonly eventTypes: readonly EventType[],
    comments: CommentWriter,
  ) {
    const { secrets, allowPrivateUrls, clock, origin, orm } = ports;
    this.#secrets = {
      webhookUrls: secrets.box(SLACK_WEBHOOK_URLS),
      tokens: secrets.box(JIRA_API_TOKENS),
      inbound: secrets.box(JIRA_INBOUND_SECRETS),
    };
    this.#guard = new UrlGuard({ allowPrivate: allowPrivateUrls });
    this.#client = new HttpClient({ guard: this.#guard, userAgent: USER_AGENT, clock });
    const slack = new SlackProvider(new SlackClient(this.#client), this.#secrets.webhookUrls, origin);
    const jira = new JiraProvider({ orm, clock, client: new JiraClient(this.#client), tokens: this.#secrets.tokens, origin });
    this.#slack = { provider: slack, queue: new IntegrationQueue(ports, slack) };
    this.#jira = { provider: jira, queue: new IntegrationQueue(ports, jira) };
    this.#inbound = new JiraInbound({ orm, clock, inboundSecrets: this.#secrets.inbound, comments, origin });
  }

  /**
   * Consumer of the event log that stores a delivery of each event for each integration that is configured to receive
   * it. The deliveries are sent in the order of the log, so a Slack channel shows events in this order. Jira gets events
   * of tickets only.
   */
  get consumer(): LogConsumer {
    return {
      name: 'support.integrations',
      on: [...this.eventTypes, ...MONITORING_EVENTS].map(({ name }) => name),
      consume: async (events) => {
        await this.#slack.queue.plan(events);
        await this.#jira.queue.plan(events.filter(({ event }) => !isMonitoringEvent(event)));
      },
    };
  }

  /** Creates the services of one request. */
  forRequest(
    em: EntityManager,
    principal: Principal,
  ): { slackIntegrations: SlackIntegrationService; jiraIntegrations: JiraIntegrationService } {
    const shared = { em, principal, clock: this.ports.clock, guard: this.#guard };
    const { webhookUrls, tokens, inbound } = this.#secrets;
    return {
      slackIntegrations: new SlackIntegrationService({ ...shared, ...this.#slack, secrets: webhookUrls, eventTypes: this.eventTypes }),
      jiraIntegrations: new JiraIntegrationService({ ...shared, ...this.#jira, tokens, inboundSecrets: inbound }),
    };
  }

  mount(app: FastifyInstance): Promise<void> {
    return mountJira(app, this.#inbound);
  }

  start(): void {
    this.#stopSampling = sampleIntegrations(this.ports);
  }

  /** Waits for running delivery attempts to finish. No new attempts start. */
  async stop(): Promise<void> {
    this.#stopSampling?.();
    await Promise.all([this.#slack.queue.stop(), this.#jira.queue.stop()]);
    await this.#client.close();
  }
}
