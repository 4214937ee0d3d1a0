import { isInternal, type ParsedEvent } from '../parsed-event.ts';
import { monitoringText } from './slack-monitoring.ts';
import { fillIn, type Placeholder } from './slack-template.ts';
import { cut, escaped, shortened, shown, VALUE_LENGTH } from './slack-text.ts';

const FALLBACK_LENGTH = 300;

/** Body of a request to an incoming webhook. */
export interface SlackMessage {
  /** Plain text that Slack shows in notifications, and in clients that cannot show blocks. */
  text: string;
  blocks: readonly object[];
  channel: string;
  unfurl_links: false;
  unfurl_media: false;
}

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

/**
 * Builds the message about an event. For a ticket: the filled-in template, and a link to the ticket. Messages about alerts
 * and incidents have a fixed format, and no link, because the platform has no page for them.
 */
export function messageOf(event: ParsedEvent, options: MessageOptions): SlackMessage {
  const { channel, url } = options;
  const number = escaped(event.data.ticket?.number ?? 'ticket');
  const link = url && { type: 'context', elements: [{ type: 'mrkdwn', text: `<${url}|Open ${number}>` }] };
  return postable(channel, fallbackOf(event), [section(formatted(event, options)), ...(link ? [link] : [])]);
}

/** Builds a test message with an example event in the integration's format. */
export function testMessage(example: ParsedEvent, options: MessageOptions, origin: string): SlackMessage {
  const [sender, about] = example.data.ticket ? ['support desk', 'tickets'] : ['monitoring', example.data.alert ? 'alerts' : 'incidents'];
  const words = `This is a test message of your ${sender} at <${escaped(origin)}>. Messages about ${about} will look like this:`;
  return postable(options.channel, `This is a test message of your ${sender}.`, [section(words), section(formatted(example, options))]);
}

const formatted = (event: ParsedEvent, { template, url }: MessageOptions): string =>
  cut(monitoringText(event)?.text || fillIn(template, (name) => wordsFor(name, event, url)) || fallbackOf(event));

function fallbackOf(event: ParsedEvent): string {
  const title = monitoringText(event)?.title;
  if (title !== undefined) return title;
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
  if (name === 'comment.content') return comment && escaped(shortened(comment.content, VALUE_LENGTH));
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
