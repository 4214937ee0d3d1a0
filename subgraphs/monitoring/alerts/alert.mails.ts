import type { Mail } from '../../../kernel/messages/mail.ts';
import { type Fact, instantOf, type MailDocument, mailTo } from '../../../kernel/messages/mail-document.ts';
import type { Alert } from './alert.entity.ts';
import { AlertCondition } from './alert.states.ts';

/** An alert instance, with the values that a mail shows. */
export interface MailedInstance {
  serviceId: string | null;
  labels: Readonly<Record<string, string>>;
  value: number | null;
}

/** Content of a mail about an alert. */
export interface AlertMailContent {
  kind: 'firing' | 'resolved' | 'test';
  /** The first instances. Further instances are only counted. */
  instances: readonly MailedInstance[];
  /** Number of all instances that the mail is about. */
  total: number;
  at: string;
  /** Until when further mails wait. Set in the last mail of an hour. */
  pausedUntil?: string;
  /** Number of mails that were held. Set in a mail about the present state, which lists all instances that fire. */
  held?: number;
}

/** Maximum number of mails of an alert to each address in an hour, which begins with the first of them. */
export const MAILS_PER_HOUR = 10;

/** Maximum number of instances that a mail lists. */
export const LISTED_INSTANCES = 20;

const SUBJECTS = { firing: 'Alert', resolved: 'Resolved', test: 'Test of the alert' } as const;
const SENTENCES = {
  firing: 'The condition of your alert is met.',
  resolved: 'Your alert does not fire any more.',
  test: 'This is a test. If your alert fires, its notifications look like this one.',
} as const;

/** Returns the mail about an alert to one address. */
export function alertMail(alert: Alert, to: string, content: AlertMailContent): Mail {
  const { kind, instances, total, at } = content;
  const facts: Fact[] = [
    ['Alert', alert.name],
    ['Severity', alert.severity],
    ['Condition', conditionOf(alert)],
    ['Time', instantOf(new Date(at))],
    ...(alert.serviceId ? [['Service', alert.serviceId] as const] : []),
    ...instances.map((instance): Fact => [labelOf(instance), instance.value === null ? 'no value' : String(instance.value)]),
    ...(total > instances.length ? [['Others', String(total - instances.length)] as const] : []),
  ];
  const document: MailDocument = {
    paragraphs: [SENTENCES[kind], ...limitTexts(content), ...(alert.description ? [alert.description] : [])],
    facts,
  };
  return mailTo({ email: to, name: null }, `${SUBJECTS[kind]} ${alert.name}`, document);
}

/** Returns what a mail says about mails that were held before it, or will be after it. */
function limitTexts({ held, pausedUntil }: AlertMailContent): string[] {
  const limit = `An alert sends at most ${MAILS_PER_HOUR} mails in an hour`;
  return [
    ...(held ? [`This is the present state. ${limit}, so ${held} earlier ${held === 1 ? 'mail was' : 'mails were'} not sent.`] : []),
    ...(pausedUntil
      ? [
          `${limit}. Further mails wait until ${instantOf(new Date(pausedUntil))}. If something changes until then, one mail will state the state at that time.`,
        ]
      : []),
  ];
}

const labelOf = ({ serviceId, labels }: MailedInstance): string => {
  // the database stores labels in another order
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const names = [...(serviceId ? [serviceId] : []), ...texts.toSorted()];
  return names.length > 0 ? `Value of ${names.join(', ')}` : 'Value';
};

/** Returns the condition of an alert in words, such as `avg of latency_ms above 100 (5 minutes)`. */
function conditionOf({ aggregation, metric, condition, threshold, lowerThreshold, windowSeconds }: Alert): string {
  const what = aggregation ? `${aggregation} of ${metric}` : metric;
  const words = condition.replaceAll('_', ' ');
  const limit = {
    [AlertCondition.ABSENT]: '',
    [AlertCondition.OUTSIDE]: ` ${lowerThreshold} to ${threshold}`,
    [AlertCondition.CHANGE_ABOVE]: ` ${threshold} percent`,
    [AlertCondition.CHANGE_BELOW]: ` ${threshold} percent`,
  }[condition as string];
  return `${what} ${words}${limit ?? ` ${threshold}`}, in ${windowSeconds} seconds`;
}
