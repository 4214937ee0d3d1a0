import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '../../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../../kernel/database/database.ts';
import { PlatformError } from '../../../../kernel/errors/errors.ts';
import { jsonIn } from '../../../../kernel/outbound/http.client.ts';
import { newId } from '../../../../kernel/records/ids.ts';
import { EVERYWHERE, organizationEm } from '../../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../../kernel/records/records.ts';
import { isStorable } from '../../../../kernel/values/text.ts';
import { AuthorType } from '../../comment-author.ts';
import type { CommentWriter } from '../../comments/comment-writer.ts';
import { Visibility } from '../../visibility.ts';
import { JiraComment, JiraCommentOrigin } from './jira-comment.entity.ts';
import { JiraIntegration } from './jira-integration.entity.ts';
import { JiraIssue } from './jira-issue.entity.ts';
import { type CommentPayload, contentOf, type IssuePayload, isRestricted, type JiraPayload, jiraPayload } from './jira-payloads.ts';
import { markOf } from './jira-texts.ts';

const ACTOR = { kind: 'system', id: 'support.jira' } as const;
const COMMENT_LENGTH = 20_000;
/**
 * Number of characters at the beginning of a comment that are searched for the platform's mark (`markOf` in
 * jira-texts.ts).
 */
const MARK_WITHIN = 600;

export interface JiraInboundDeps {
  orm: Orm;
  clock: Clock;
  inboundSecrets: SecretBox;
  comments: Pick<CommentWriter, 'add'>;
  origin: string;
}

/**
 * Processes the webhooks that Jira sends, and changes tickets accordingly. Repeated webhooks have no effect, and
 * comments that the platform posted are ignored.
 */
export class JiraInbound {
  constructor(private readonly deps: JiraInboundDeps) {}

  /**
   * Processes a webhook. `signature` is the header X-Hub-Signature: `sha256=` and the hex HMAC-SHA256 of the body,
   * keyed with the secret.
   * @throws PlatformError INVALID_SIGNATURE, also for an unknown integration, so that nobody can find out which ids
   * exist
   */
  async receive(integrationId: string, body: Buffer, signature: string | undefined): Promise<void> {
    const integration = isStorable(integrationId)
      ? await this.deps.orm.em.fork().findOne(JiraIntegration, { id: integrationId }, EVERYWHERE)
      : null;
    const secret = integration && this.deps.inboundSecrets.open(integration.sealedInboundSecret, integration.id);
    const isSigned = isSignedWith(secret ?? 'nobody has this one', body, signature);
    if (!integration || !isSigned) {
      throw new PlatformError(
        'INVALID_SIGNATURE',
        'The signature is missing or invalid. Send X-Hub-Signature: sha256=<hex>, computed with the secret of this integration.',
        {
          reason: signature === undefined ? 'missing' : 'mismatch',
        },
      );
    }
    const payload = jiraPayload.safeParse(jsonIn(body.toString('utf8')));
    // unknown payloads are accepted but ignored, because Jira would send a rejected webhook again
    if (payload.success && !integration.isSwitchedOff) await this.#take(integration, payload.data);
  }

  async #take(integration: JiraIntegration, payload: JiraPayload): Promise<void> {
    const em = organizationEm(this.deps.orm, integration.organizationId);
    await em.transactional(async (tx) => {
      const { id: issueId } = payload.issue;
      // the lock makes concurrent webhooks about the same issue run one after the other
      const issue = await tx.findOne(JiraIssue, { integrationId: integration.id, issueId }, LOCKED);
      if (!issue) return;
      if ('comment' in payload) await this.#takeComment(tx, integration, issue, payload.comment);
      else if (payload.webhookEvent === 'jira:issue_deleted') issue.deletedAt ??= this.deps.clock.now();
      else follow(issue, integration, payload.issue);
    });
  }

  async #takeComment(tx: EntityManager, integration: JiraIntegration, issue: JiraIssue, comment: CommentPayload): Promise<void> {
    if (!integration.syncSettings.syncComments || this.#isOurs(issue, comment)) return;
    const known = await tx.findOne(JiraComment, { integrationId: integration.id, jiraCommentId: comment.id });
    if (known?.origin === JiraCommentOrigin.TICKET) return;
    const content = storable(contentOf(comment));
    const digest = createHash('sha256').update(content).digest('base64url');
    if (content === '' || known?.digest === digest) return;
    const visibility = visibilityOf(integration, comment);
    const draft = {
      content: known ? `Edited: ${content}` : content,
      type: visibility === Visibility.INTERNAL ? 'internal_note' : 'reply',
      visibility,
      author: authorOf(comment),
    };
    const { id: commentId } = await this.deps.comments.add(tx, issue.ticketId, draft, ACTOR);
    if (known) known.digest = digest;
    // stores a new row for an edit, so that the ticket comment about the edit is not posted to Jira
    const jiraCommentId = known ? `${comment.id}#${commentId}` : comment.id;
    const made = { organizationId: integration.organizationId, integrationId: integration.id, commentId, jiraCommentId, digest };
    const row = { id: newId('jiraComment'), ...made, origin: JiraCommentOrigin.JIRA, createdAt: this.deps.clock.now() };
    tx.persist(Object.assign(new JiraComment(), row));
  }

  /**
   * Returns whether the platform posted the comment. Such a comment has the platform's mark near its beginning
   * (`markOf` in jira-texts.ts). The stored comment ids are not enough to decide this: the webhook may arrive before
   * Jira's response that contains the comment id.
   */
  #isOurs({ ticketId }: JiraIssue, { body }: CommentPayload): boolean {
    const beginning = (typeof body === 'string' ? body : (JSON.stringify(body) ?? '')).slice(0, MARK_WITHIN);
    return beginning.includes(markOf(this.deps.origin, ticketId));
  }
}

/** Updates the stored key and status of an issue. The key changes when the issue moves to another project. */
function follow(issue: JiraIssue, { jiraUrl }: JiraIntegration, { key, fields }: IssuePayload): void {
  if (/^[A-Z][A-Z0-9_]*-\d+$/.test(key)) Object.assign(issue, { key, url: `${jiraUrl}/browse/${key}` });
  if (fields?.status && isStorable(fields.status.name)) issue.status = fields.status.name;
}

const visibilityOf = ({ syncSettings }: JiraIntegration, comment: CommentPayload): Visibility =>
  isRestricted(comment) ? Visibility.INTERNAL : syncSettings.jiraCommentVisibility;

/**
 * Returns the author of a comment from Jira. The type is `system`, because the Jira user has no account on the
 * platform.
 */
const authorOf = ({ author }: CommentPayload) => ({
  type: AuthorType.SYSTEM,
  id: storable(author?.accountId ?? 'jira').slice(0, 200),
  name: `${storable(author?.displayName ?? 'Somebody').slice(0, 200)} (Jira)`,
  email: null,
});

const storable = (text: string): string => {
  const kept = text.replaceAll('\u0000', '\uFFFD').toWellFormed();
  return kept.length > COMMENT_LENGTH ? `${kept.slice(0, COMMENT_LENGTH).toWellFormed()}…` : kept;
};

function isSignedWith(secret: string, body: Buffer, signature: string | undefined): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  const sent = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? '')?.[1];
  return timingSafeEqual(expected, sent ? Buffer.from(sent, 'hex') : Buffer.alloc(expected.length)) && sent !== undefined;
}
