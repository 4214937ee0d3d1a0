import { z } from 'zod';
import type { HttpClient, OutboundResponse } from '../../../../kernel/outbound/http.client.ts';
import type { AdfDocument } from './adf.ts';

/** Site URL and credentials for requests to Jira. */
export interface JiraAccess {
  jiraUrl: string;
  username: string;
  apiToken: string;
}

export interface IssueFields {
  project: { key: string };
  issuetype: { name: string };
  summary: string;
  description: AdfDocument;
  labels: string[];
  priority?: { name: string };
}

const created = z.object({ id: z.string(), key: z.string() });
const found = z.object({ issues: z.array(created) });
const comment = z.object({ id: z.string() });
const comments = z.object({ comments: z.array(z.object({ id: z.string(), body: z.unknown() })) });
export type CreatedIssue = z.infer<typeof created>;

/** Thrown if Jira returned an error, or a response of an unexpected form. */
export class JiraRefused extends Error {
  constructor(readonly response: OutboundResponse) {
    super(`Jira answered ${response.status}.`);
  }
}

/**
 * Client for the operations of Jira Cloud's REST API v3 that the platform uses.
 * @throws JiraRefused, NoResponse
 */
export class JiraClient {
  constructor(private readonly client: HttpClient) {}

  createIssue(access: JiraAccess, fields: IssueFields): Promise<CreatedIssue> {
    return this.#ask(access, 'POST', '/issue', created, { fields });
  }

  /** Finds an issue by the label that it was created with. Jira's search finds a new issue only after some seconds. */
  async findIssue(access: JiraAccess, projectKey: string, label: string): Promise<CreatedIssue | undefined> {
    const jql = `project = "${projectKey}" AND labels = "${label}" ORDER BY created ASC`;
    const { issues } = await this.#ask(access, 'POST', '/search/jql', found, { jql, fields: ['key', 'summary'], maxResults: 1 });
    return issues[0];
  }

  async setPriority(access: JiraAccess, issueId: string, name: string): Promise<void> {
    await this.#ask(access, 'PUT', `/issue/${encodeURIComponent(issueId)}`, z.unknown(), { fields: { priority: { name } } });
  }

  async addComment(access: JiraAccess, issueId: string, body: AdfDocument): Promise<string> {
    return (await this.#ask(access, 'POST', `/issue/${encodeURIComponent(issueId)}/comment`, comment, { body })).id;
  }

  /** Finds the newest comment on an issue that contains the text `holding`. Searches only the 100 newest comments of the issue. */
  async findComment(access: JiraAccess, issueId: string, holding: string): Promise<string | undefined> {
    const path = `/issue/${encodeURIComponent(issueId)}/comment?orderBy=-created&maxResults=100`;
    const newest = await this.#ask(access, 'GET', path, comments);
    return newest.comments.find(({ body }) => JSON.stringify(body).includes(holding))?.id;
  }

  /** Checks that the credentials are valid and can access the project. */
  async check(access: JiraAccess, projectKey: string): Promise<void> {
    await this.#ask(access, 'GET', '/myself', z.unknown());
    await this.#ask(access, 'GET', `/project/${encodeURIComponent(projectKey)}`, z.unknown());
  }

  async #ask<T>(access: JiraAccess, method: 'GET' | 'POST' | 'PUT', path: string, shape: z.ZodType<T>, body?: object): Promise<T> {
    const { jiraUrl, username, apiToken } = access;
    const authorization = `Basic ${Buffer.from(`${username}:${apiToken}`).toString('base64')}`;
    const headers = { accept: 'application/json', authorization };
    const response = await this.client.send({ method, url: `${jiraUrl}/rest/api/3${path}`, headers, json: body });
    const parsed = response.json(shape);
    if (response.outcome !== 'done' || !parsed.success) throw new JiraRefused(response);
    return parsed.data;
  }
}
