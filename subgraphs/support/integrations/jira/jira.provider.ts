import type { SecretBox } from '../../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../../kernel/database/database.ts';
import { newId } from '../../../../kernel/records/ids.ts';
import { organizationEm } from '../../../../kernel/records/organization-filter.ts';
import { DAY_MS, HOUR_MS } from '../../../../kernel/values/days.ts';
import type { TicketPriority } from '../../../../kernel/values/ticket-priority.ts';
import { Ticket } from '../../tickets/ticket.entity.ts';
import { type Attempt, DELIVERED, type Outcome, type Provider, SKIPPED } from '../integration.provider.ts';
import { isInternal, type ParsedEvent } from '../parsed-event.ts';
import type { CreatedIssue, JiraAccess, JiraClient } from './jira.client.ts';
import { JiraComment, JiraCommentOrigin } from './jira-comment.entity.ts';
import { JiraIntegration } from './jira-integration.entity.ts';
import { JiraIssue } from './jira-issue.entity.ts';
import { fieldErrors, outcomeOf } from './jira-responses.ts';
import { commentText, descriptionOf, markOf, statusText, summaryOf } from './jira-texts.ts';

export interface JiraProviderDeps {
  orm: Orm;
  clock: Clock;
  client: JiraClient;
  tokens: SecretBox;
  origin: string;
}

interface Work extends Attempt<JiraIntegration> {
  em: EntityManager;
  access: JiraAccess;
}

/**
 * Creates issues for tickets and keeps them up to date. Jira has no idempotency keys, so a retry first searches for an
 * issue or comment that an earlier attempt created.
 */
export class JiraProvider implements Provider<JiraIntegration> {
  readonly kind = 'jira';
  readonly entity = JiraIntegration;
  /** Deliveries expire after seven days, because an issue is useful even if it is created late. */
  readonly expiryMs = 7 * DAY_MS;
  readonly paceMs = 0;
  /**
   * The first delay is longer than the delay of Jira's search index, so that a retry finds an issue that was already
   * created.
   */
  readonly backoff = { firstMs: 10_000, factor: 3, maxMs: HOUR_MS };

  constructor(private readonly deps: JiraProviderDeps) {}

  wants({ syncSettings }: JiraIntegration, event: ParsedEvent): boolean {
    if (event.event === 'ticket.created') return syncSettings.createJiraIssues;
    if (event.event === 'ticket.updated') return Boolean(event.data.changes?.priority ?? event.data.changes?.status);
    return event.data.comment !== undefined && syncSettings.syncComments && !isInternal(event);
  }

  async deliver(attempt: Attempt<JiraIntegration>): Promise<Outcome> {
    const { integration, event } = attempt;
    const em = organizationEm(this.deps.orm, integration.organizationId);
    const work = { ...attempt, em, access: this.#accessOf(integration) };
    const isCreation = event.event === 'ticket.created';
    try {
      if (isCreation) return await this.#create(work);
      const issue = await this.#issueOf(work);
      // tickets that are older than the integration have no issue, and issues that were deleted in Jira are not created
      // again
      if (!issue || issue.deletedAt) return SKIPPED;
      return event.data.comment ? await this.#comment(work, issue) : await this.#update(work, issue);
    } catch (error) {
      return outcomeOf(error, work.access.apiToken, isCreation);
    }
  }

  async test(integration: JiraIntegration): Promise<Outcome> {
    const access = this.#accessOf(integration);
    try {
      await this.deps.client.check(access, integration.projectKey);
      return DELIVERED;
    } catch (error) {
      return outcomeOf(error, access.apiToken);
    }
  }

  async #create(work: Work): Promise<Outcome> {
    const { integration, event, em, access, isRepeat } = work;
    const { client } = this.deps;
    if (await this.#issueOf(work)) return SKIPPED;
    const ticket = await em.findOne(Ticket, { id: event.data.ticket?.id ?? '' });
    if (!ticket) return SKIPPED;
    const { projectKey } = integration;
    const existing = isRepeat ? await client.findIssue(access, projectKey, ticket.id) : undefined;
    if (existing) return this.#created(work, ticket, existing, false);
    const fields = {
      project: { key: projectKey },
      issuetype: { name: 'Task' },
      summary: summaryOf(ticket),
      description: descriptionOf(ticket, this.deps.origin),
      labels: [ticket.id],
    };
    const name = priorityNameOf(integration, ticket.priority);
    try {
      return this.#created(work, ticket, await client.createIssue(access, name ? { ...fields, priority: { name } } : fields), !name);
    } catch (error) {
      if (!name || !fieldErrors(error).priority) throw error;
      return this.#created(work, ticket, await client.createIssue(access, fields), true);
    }
  }

  #created({ integration }: Work, ticket: Ticket, { id: issueId, key }: CreatedIssue, priorityOmitted: boolean): Outcome {
    const { id: integrationId, organizationId, jiraUrl } = integration;
    const issue = {
      id: newId('jiraIssue'),
      organizationId,
      integrationId,
      ticketId: ticket.id,
      issueId,
      key,
      url: `${jiraUrl}/browse/${key}`,
    };
    return {
      kind: 'delivered',
      record: async (tx) => {
        const row = { ...issue, priorityOmitted, createdAt: this.deps.clock.now() };
        await tx.upsertMany(JiraIssue, [row], { onConflictFields: ['integrationId', 'ticketId'], onConflictAction: 'ignore' });
      },
    };
  }

  /**
   * Updates the issue after a change of its ticket. A retry sets the priority again, and posts the comment only if the
   * issue does not contain it yet.
   */
  async #update(work: Work, issue: JiraIssue): Promise<Outcome> {
    const { integration, event, access } = work;
    const { ticket, changes } = event.data;
    const name = changes?.priority && priorityNameOf(integration, String(changes.priority.to));
    let omitted: boolean | undefined;
    if (name) {
      try {
        await this.deps.client.setPriority(access, issue.issueId, name);
        omitted = false;
      } catch (error) {
        if (!fieldErrors(error).priority) throw error;
        omitted = true;
      }
    }
    const body = ticket && statusText(ticket, event, this.deps.origin);
    if (body) await this.#post(work, issue, markOf(this.deps.origin, ticket.id, event.id), body);
    if (omitted === undefined) return DELIVERED;
    return {
      kind: 'delivered',
      record: async (tx) => void (await tx.nativeUpdate(JiraIssue, { id: issue.id }, { priorityOmitted: omitted })),
    };
  }

  async #comment(work: Work, issue: JiraIssue): Promise<Outcome> {
    const { integration, event, em } = work;
    const { ticket, comment } = event.data;
    if (!ticket || !comment) return SKIPPED;
    const { id: integrationId, organizationId } = integration;
    // skips comments that are already in Jira, including comments that were written in Jira
    if (await em.findOne(JiraComment, { integrationId, commentId: comment.id })) return SKIPPED;
    const mark = markOf(this.deps.origin, ticket.id, comment.id);
    const jiraCommentId = await this.#post(work, issue, mark, commentText(ticket, comment, this.deps.origin));
    return {
      kind: 'delivered',
      record: async (tx) => {
        const known = { id: newId('jiraComment'), organizationId, integrationId, commentId: comment.id, jiraCommentId };
        const row = { ...known, origin: JiraCommentOrigin.TICKET, createdAt: this.deps.clock.now() };
        await tx.upsertMany(JiraComment, [row], { onConflictFields: ['integrationId', 'commentId'], onConflictAction: 'ignore' });
      },
    };
  }

  async #post(
    { access, isRepeat }: Work,
    { issueId }: JiraIssue,
    mark: string,
    body: Parameters<JiraClient['addComment']>[2],
  ): Promise<string> {
    const existing = isRepeat ? await this.deps.client.findComment(access, issueId, mark) : undefined;
    return existing ?? this.deps.client.addComment(access, issueId, body);
  }

  #issueOf({ integration, event, em }: Work): Promise<JiraIssue | null> {
    return em.findOne(JiraIssue, { integrationId: integration.id, ticketId: event.data.ticket?.id ?? '' });
  }

  #accessOf({ id, jiraUrl, username, sealedApiToken }: JiraIntegration): JiraAccess {
    return { jiraUrl, username, apiToken: this.deps.tokens.open(sealedApiToken, id) };
  }
}

const priorityNameOf = ({ syncSettings: { priorityMapping } }: JiraIntegration, priority: string): string | undefined =>
  priorityMapping[priority as TicketPriority] ?? undefined;
