import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../../../../kernel/access/secret-box.ts';
import type { EntityManager } from '../../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../../kernel/errors/errors.ts';
import { definedOnly } from '../../../../kernel/records/records.ts';
import { Visibility } from '../../visibility.ts';
import { IntegrationService, type IntegrationServiceDeps } from '../integration.service.ts';
import type { JiraIntegrationCreateInput, JiraIntegrationUpdateInput, JiraSyncSettingsInput } from './jira.inputs.ts';
import { JiraComment } from './jira-comment.entity.ts';
import { DEFAULT_MAPPING, JiraIntegration, type JiraSyncSettings } from './jira-integration.entity.ts';
import { JiraIssue } from './jira-issue.entity.ts';

const SECRET_BYTES = 32;

export interface JiraServiceDeps extends IntegrationServiceDeps<JiraIntegration> {
  tokens: SecretBox;
  inboundSecrets: SecretBox;
}

/** Manages the Jira integrations of the caller's organization (specification 2.7, 4.7). */
export class JiraIntegrationService extends IntegrationService<JiraIntegration> {
  constructor(private readonly own: JiraServiceDeps) {
    super(own, JiraIntegration, 'jira_integration', ['this Jira site and project', 'project_key']);
  }

  /**
   * Creates an integration and returns its webhook secret, which no other operation returns. Does not check the
   * connection to Jira; call `test` for this.
   * @throws InvalidParameters, IntegrationExists
   */
  async create(input: JiraIntegrationCreateInput): Promise<JiraIntegration> {
    const jiraUrl = await this.#siteOf(input.jiraUrl);
    const secret = newSecret();
    const made = await this.insert(new JiraIntegration(), (integration) => {
      const { username, projectKey, active } = input;
      Object.assign(integration, { jiraUrl, username, projectKey, active });
      integration.syncSettings = merged(DEFAULTS, input.syncSettings);
      this.#setToken(integration, input.apiToken);
      integration.sealedInboundSecret = this.own.inboundSecrets.seal(secret, integration.id);
    });
    made.inboundSecret = secret;
    return made;
  }

  /** Updates an integration. @throws ResourceNotFound, InvalidParameters, IntegrationExists */
  async update(id: string, { jiraUrl, apiToken, syncSettings, active, ...input }: JiraIntegrationUpdateInput): Promise<JiraIntegration> {
    const site = jiraUrl && (await this.#siteOf(jiraUrl));
    return this.change(id, (integration) => {
      if (site && new URL(site).host !== new URL(integration.jiraUrl).host && !apiToken)
        throw new InvalidParameters([{ field: 'apiToken', reason: 'is required if the host changes' }]);
      if (site) integration.jiraUrl = site;
      if (input.username) integration.username = input.username;
      if (input.projectKey) integration.projectKey = input.projectKey;
      if (syncSettings) integration.syncSettings = merged(integration.syncSettings, syncSettings);
      if (apiToken) this.#setToken(integration, apiToken);
      if (site || apiToken || input.username) integration.forgetFailures();
      if (active !== undefined) integration.setActive(active);
    });
  }

  /**
   * Creates a new webhook secret and returns it once. The previous secret becomes invalid.
   * @throws ResourceNotFound
   */
  async rotateSecret(id: string): Promise<JiraIntegration> {
    const secret = newSecret();
    const changed = await this.change(id, (integration) => {
      integration.sealedInboundSecret = this.own.inboundSecrets.seal(secret, id);
    });
    changed.inboundSecret = secret;
    return changed;
  }

  /** Deletes the links between tickets and issues. The issues stay in Jira. */
  protected override async beforeDelete(tx: EntityManager, integrationId: string): Promise<void> {
    await tx.nativeDelete(JiraIssue, { integrationId });
    await tx.nativeDelete(JiraComment, { integrationId });
  }

  #setToken(integration: JiraIntegration, token: string): void {
    integration.sealedApiToken = this.own.tokens.seal(token, integration.id);
    // shows no characters of a short token, because four characters would be a large part of it
    integration.apiTokenHint = `…${token.length >= 16 ? token.slice(-4) : ''}`;
  }

  /** Normalizes a site URL, so that the same site is stored as the same text. */
  async #siteOf(text: string): Promise<string> {
    await this.checkUrl('jiraUrl', text);
    const url = new URL(text);
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }
}

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

const DEFAULTS: JiraSyncSettings = {
  createJiraIssues: true,
  syncComments: true,
  priorityMapping: { ...DEFAULT_MAPPING },
  jiraCommentVisibility: Visibility.INTERNAL,
};

function merged(settings: JiraSyncSettings, input: JiraSyncSettingsInput | null | undefined): JiraSyncSettings {
  const { priorityMapping, ...plain } = input ?? {};
  const changes = Object.entries(plain).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...settings,
    ...Object.fromEntries(changes),
    priorityMapping: { ...settings.priorityMapping, ...definedOnly(priorityMapping ?? {}) },
  };
}
