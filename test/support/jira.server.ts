import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Json } from '../tenant.ts';

/** A response that replaces Jira's. `lost` executes the request and closes the connection without a response. */
export type JiraResponse = readonly [status: number, body?: Json, headers?: Record<string, string>] | 'lost';

export interface JiraIssueRecord {
  id: string;
  key: string;
  fields: Json;
  comments: { id: string; body: Json }[];
}

export interface JiraServer {
  url: string;
  issues: JiraIssueRecord[];
  /** The method and path of every received request. */
  requests: string[];
  /** The `traceparent` header of every received request. */
  traceparents: unknown[];
  /** Sets the responses to the next requests whose method and path start with `beginning`. */
  next(beginning: string, ...answers: JiraResponse[]): void;
  /** Removes the priority field from the issue screen of the project. */
  withoutPriority(): void;
}

export const USERNAME = 'desk@acme.example.com';
export const API_TOKEN = 'ATATT3xFfGF0aTokenThatNobodyElseHas';
const PROJECT = 'SUP';
const PRIORITIES = ['Highest', 'High', 'Medium', 'Low', 'Lowest'];

/** Starts a test server with the parts of Jira Cloud's REST API v3 that the platform uses, for one test. */
export async function jiraServer(): Promise<JiraServer> {
  const planned: { beginning: string; answer: JiraResponse }[] = [];
  const site = new Site();
  const requests: string[] = [];
  const traceparents: unknown[] = [];
  // only the platform closes idle connections: this server could close one at the moment when a request is sent
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const operation = `${request.method} ${request.url}`;
    requests.push(operation);
    traceparents.push(request.headers.traceparent);
    const body = await bodyOf(request);
    const index = planned.findIndex(({ beginning }) => operation.startsWith(beginning));
    const [{ answer } = { answer: undefined }] = index >= 0 ? planned.splice(index, 1) : [];
    if (answer && answer !== 'lost') return void say(response, answer[0], answer[1], answer[2]);
    const [status, responseBody] = site.answer(request, body);
    if (answer === 'lost') return void response.destroy();
    return void say(response, status, responseBody);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  site.url = url;
  return {
    url,
    issues: site.issues,
    requests,
    traceparents,
    next: (beginning, ...answers) => void planned.push(...answers.map((answer) => ({ beginning, answer }))),
    withoutPriority: () => {
      site.hasPriority = false;
    },
  };
}

type Said = readonly [status: number, body?: Json];
const problem = (status: number, message: string): Said => [status, { errorMessages: [message], errors: {} }];
const NO_ISSUE = problem(404, 'Issue does not exist or you do not have permission to see it.');

class Site {
  readonly issues: JiraIssueRecord[] = [];
  url = '';
  hasPriority = true;
  #next = 10_000;

  answer({ method, url = '', headers }: IncomingMessage, body: Json): Said {
    const credentials = Buffer.from(`${USERNAME}:${API_TOKEN}`).toString('base64');
    if (headers.authorization !== `Basic ${credentials}`)
      return [401, { 'status-code': 401, message: 'Client must be authenticated to access this resource.' }];
    const [path = '', query = ''] = url.split('?');
    const operation = `${method} ${path.replace('/rest/api/3', '')}`;
    if (operation === 'GET /myself') return [200, { accountId: '5b10a2844c20165700ede21g', displayName: 'Desk', active: true }];
    if (operation === `GET /project/${PROJECT}`) return [200, { id: '10000', key: PROJECT, name: 'Support' }];
    if (operation.startsWith('GET /project/')) return problem(404, "No project could be found with key 'X'.");
    if (operation === 'POST /issue') return this.#create(body);
    if (operation === 'POST /search')
      return [410, { errorMessages: ['The requested API has been removed. Please migrate to /rest/api/3/search/jql.'] }];
    if (operation === 'POST /search/jql') return this.#search(body);
    const [, id = '', isComment] = /^\w+ \/issue\/([^/]+)(\/comment)?$/.exec(operation) ?? [];
    const issue = this.issues.find((one) => one.id === id || one.key === id);
    if (!issue) return NO_ISSUE;
    if (isComment) return method === 'POST' ? this.#comment(issue, body) : commentsOf(issue, query);
    return method === 'PUT' ? this.#edit(issue, body) : [405];
  }

  #create({ fields }: Json): Said {
    const errors: Record<string, string> = this.#errorsIn(fields);
    if (fields?.project?.key !== PROJECT) errors.project = 'valid project is required';
    if (!fields?.issuetype?.name) errors.issuetype = 'Specify an issue type';
    if (!fields?.summary) errors.summary = 'You must specify a summary of the issue.';
    else if (fields.summary.length > 255 || /\n/.test(fields.summary)) errors.summary = 'Summary must be less than 255 characters.';
    if (Object.keys(errors).length > 0) return [400, { errorMessages: [], errors }];
    this.#next += 1;
    const id = String(this.#next);
    const issue = { id, key: `${PROJECT}-${this.issues.length + 1}`, fields, comments: [] };
    this.issues.push(issue);
    return [201, { id, key: issue.key, self: `${this.url}/rest/api/3/issue/${id}` }];
  }

  #errorsIn(fields: Json): Record<string, string> {
    const errors: Record<string, string> = {};
    if (fields?.priority && !this.hasPriority)
      errors.priority = "Field 'priority' cannot be set. It is not on the appropriate screen, or unknown.";
    else if (fields?.priority && !PRIORITIES.includes(fields.priority.name)) errors.priority = 'Specify a valid priority.';
    if (fields?.labels?.some((label: string) => /\s/.test(label))) errors.labels = "The label can't contain spaces.";
    if (fields?.description !== undefined && !isDocument(fields.description))
      errors.description = 'Operation value must be an Atlassian Document (see the Atlassian Document Format)';
    return errors;
  }

  #search({ jql = '', fields }: Json): Said {
    const label = /labels = "([^"]+)"/.exec(jql)?.[1];
    if (!label || !jql.includes(`project = "${PROJECT}"`)) return problem(400, 'Unbounded JQL queries are not allowed here.');
    const found = this.issues.filter((one) => one.fields.labels?.includes(label));
    // without the parameter `fields` Jira returns only ids
    return [200, { issues: found.map(({ id, key }) => (fields ? { id, key, fields: {} } : { id })), isLast: true }];
  }

  #comment(issue: JiraIssueRecord, { body }: Json): Said {
    if (!isDocument(body)) return [400, { errorMessages: [], errors: { comment: 'Comment body is not valid!' } }];
    this.#next += 1;
    issue.comments.push({ id: String(this.#next), body });
    return [201, { id: String(this.#next), self: `${this.url}/rest/api/3/issue/${issue.id}/comment/${this.#next}`, body }];
  }

  #edit(issue: JiraIssueRecord, { fields }: Json): Said {
    const errors = this.#errorsIn(fields);
    if (Object.keys(errors).length > 0) return [400, { errorMessages: [], errors }];
    Object.assign(issue.fields, fields);
    return [204];
  }
}

function commentsOf({ comments }: JiraIssueRecord, query: string): Said {
  const isNewestFirst = new URLSearchParams(query).get('orderBy') === '-created';
  return [200, { startAt: 0, maxResults: 100, total: comments.length, comments: isNewestFirst ? comments.toReversed() : comments }];
}

/** Returns true if Jira would accept a document: no text in it is empty, and its top level contains only blocks and no texts. */
function isDocument(node: Json): boolean {
  const isSound = (one: Json): boolean =>
    typeof one?.type === 'string' &&
    (one.type !== 'text' || (typeof one.text === 'string' && one.text !== '')) &&
    (one.content ?? []).every(isSound);
  const blocks: Json[] = node?.content;
  return (
    node?.type === 'doc' && node.version === 1 && Array.isArray(blocks) && blocks.every(({ type }) => type !== 'text') && isSound(node)
  );
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text ? JSON.parse(text) : {};
}

const say = (response: ServerResponse, status: number, body?: Json, headers: Record<string, string> = {}): ServerResponse =>
  response
    .writeHead(status, { 'content-type': 'application/json;charset=UTF-8', ...headers })
    .end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
