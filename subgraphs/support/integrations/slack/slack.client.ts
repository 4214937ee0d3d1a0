import { type HttpClient, NoResponse, type OutboundResponse } from '../../../../kernel/outbound/http.client.ts';
import { DELIVERED, type Outcome } from '../integration.provider.ts';
import type { SlackMessage } from './slack-message.ts';

/** Error codes in Slack's plain-text responses. After these errors, a retry cannot succeed. */
const FATAL = [
  'invalid_token',
  'action_prohibited',
  'channel_not_found',
  'no_service',
  'no_service_id',
  'no_team',
  'team_disabled',
  'channel_is_archived',
  'posting_to_general_channel_denied',
];
const WORD = /^[a-z_]{1,80}$/;

/** Posts messages to incoming webhooks of Slack. */
export class SlackClient {
  constructor(private readonly client: HttpClient) {}

  /** Posts a message. Only status 200 with the text `ok` is a success. */
  async post(url: string, message: SlackMessage): Promise<Outcome> {
    try {
      return outcomeOf(await this.client.send({ method: 'POST', url, json: message }));
    } catch (error) {
      if (error instanceof NoResponse) return { kind: 'later', error: error.message, isUncertain: true };
      throw error;
    }
  }
}

function outcomeOf({ status, text, retryAfterMs: afterMs }: OutboundResponse): Outcome {
  const reply = text.trim();
  if (status === 200 && reply === 'ok') return DELIVERED;
  // a text that is not a single lower-case word may be the page of a proxy, so the error message does not contain it
  const word = WORD.test(reply) ? reply : undefined;
  const error = `Slack answered ${status}${word ? `: ${word}` : ''}`;
  if (status === 429) return { kind: 'later', error, afterMs, isThrottling: true };
  if (status >= 500) return { kind: 'later', error, afterMs };
  if (status === 410 || status === 404 || status === 401 || status === 403)
    return { kind: 'disabled', reason: word ?? REASONS[status] ?? 'refused', error };
  if (word && FATAL.includes(word)) return { kind: 'disabled', reason: word, error };
  if (status === 400 || status === 413) return { kind: 'refused', error };
  return { kind: 'later', error, afterMs };
}

const REASONS: Readonly<Record<number, string>> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found', 410: 'gone' };
