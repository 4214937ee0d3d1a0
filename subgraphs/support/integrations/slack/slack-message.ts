import { isInternal, type ParsedEvent } from '../parsed-event.ts';
import { fillIn, type Placeholder } from './slack-template.ts';

/** Maximum length of the text in a section block. */
const SECTION_LENGTH = 3000;
const FALLBACK_LENGTH = 300;
const COMMENT_LENGTH = 1500;

/** Body of a request to an incoming webhook. */
export interface SlackMessage {
  /** Plain text that Slack shows in notifications, and in clients that cannot show blocks. */
  text: string;
  blocks: readonly object[];
  channel: string;
  unfurl_links: false;
  unfurl_media: false;
}

/** Escapes Slack's three special characters, so that text cannot become a link or mention a channel. */
export const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const TITLES: Readonly<Record<string, string>> = {
  'ticket.created': 'New ticket',
  'ticket.updated': 'Ticket updated',
  'ticket.resolved': 'Ticket resolved',
  'ticket.escalated': 'Ticket escalated',
  'sla.at_risk': 'Service level at risk',
  'sla.breach': 'Service level breached',
};
const titleOf = (event: ParsedEvent): string => {
  if (event.data.comment) return isInternal(event) ? 'New internal comment' : 'New comment';
  return TITLES[event.event] ?? event.event;
};

export interface MessageOptions {
  channel: string;
  template: string | null | undefined;
  /** URL of the ticket's page. */
  url: string | undefined;
}

/** Builds the message about an event: the filled-in template, and a link to the ticket. */
export function messageOf(event: ParsedEvent, options: MessageOptions): SlackMessage {
  const { channel, url } = options;
  const number = escaped(event.data.ticket?.number ?? 'ticket');
  const link = url && { type: 'context', elements: [{ type: 'mrkdwn', text: `<${url}|Open ${number}>` }] };
  return postable(channel, fallbackOf(event), [section(formatted(event, options)), ...(link ? [link] : [])]);
}

/** Builds a test message with an example event in the integration's format. */
export function testMessage(example: ParsedEvent, options: MessageOptions, origin: string): SlackMessage {
  const words = `This is a test message of your support desk at <${escaped(origin)}>. Messages about tickets will look like this:`;
  return postable(options.channel, 'This is a test message of your support desk.', [section(words), section(formatted(example, options))]);
}

const formatted = (event: ParsedEvent, { template, url }: MessageOptions): string =>
  cut(fillIn(template, (name) => wordsFor(name, event, url)) || fallbackOf(event));

function fallbackOf(event: ParsedEvent): string {
  const { ticket } = event.data;
  const subject = ticket ? `${ticket.number} ${ticket.title} (${ticket.priority}, ${ticket.status})` : '';
  return escaped(shortened(`${titleOf(event)}: ${subject}`, FALLBACK_LENGTH));
}

const section = (text: string): object => ({ type: 'section', text: { type: 'mrkdwn', text } });

const postable = (channel: string, text: string, blocks: readonly object[]): SlackMessage => ({
  text,
  blocks,
  channel,
  unfurl_links: false,
  unfurl_media: false,
});

function wordsFor(name: Placeholder, event: ParsedEvent, url: string | undefined): string | undefined {
  const { ticket, comment, sla, changes } = event.data;
  const [group = '', member = ''] = name.split('.');
  if (name === 'ticket.url') return url;
  if (name === 'changes') return changes && shownChanges(changes);
  // the name of the SLA clock is in `breached` or `at_risk`, depending on the type of the event
  if (name === 'sla.clock') return shown(sla?.breached ?? sla?.at_risk);
  if (name === 'comment.author') return shown(comment?.author.name);
  if (name === 'comment.content') return comment && escaped(shortened(comment.content, COMMENT_LENGTH));
  if (group === 'event')
    return escaped({ id: event.id, name: event.event, timestamp: event.timestamp, title: titleOf(event) }[member] ?? '');
  const source: Record<string, unknown> | undefined = group === 'ticket' ? ticket : sla;
  return shown(source?.[member]);
}

function shownChanges(changes: NonNullable<ParsedEvent['data']['changes']>): string | undefined {
  const lines = Object.entries(changes)
    .filter(([, { from, to }]) => [from, to].every((value) => typeof value !== 'object' || value === null))
    .map(([member, { from, to }]) => `${escaped(member)}: ${shown(from) ?? '–'} → ${shown(to) ?? '–'}`);
  return lines.length > 0 ? lines.join('\n') : undefined;
}

const shown = (value: unknown): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : escaped(shortened(String(value), COMMENT_LENGTH));

/** Truncates a text to `length`, without splitting a surrogate pair. */
function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

/** Truncates a text to the maximum length of a section, never within an HTML entity or a link. */
function cut(text: string): string {
  if (text.length <= SECTION_LENGTH) return text;
  const kept = text.slice(0, SECTION_LENGTH - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept.replace(/&[a-z]{0,3}$/, '').replace(/<[^<>]*$/, '')}…`;
}
