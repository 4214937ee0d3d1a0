import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { Alert } from '../alerts/alert.entity.ts';
import { LISTED_INSTANCES, MAILS_PER_HOUR } from '../alerts/alert.mails.ts';
import { type AlertSuppression, isAlarming } from '../alerts/alert.states.ts';
import type { AlertInstance } from '../alerts/alert-instance.entity.ts';
import type { AlertMailJob } from '../alerts/alert-mail.job.ts';
import { finite } from './alert-changes.store.ts';
import type { InstanceStep, Suppression } from './alert-instances.ts';

/** Number of mails that an alert has sent to each of its addresses. */
export interface MailCount {
  /** Start of the hour in which mails are counted: the time of its first mail. */
  mailHourAt: Date | null;
  mailsSent: number;
  /** Number of mails that were not sent, because there were too many. */
  mailsHeld: number;
}

/** The mails that an evaluation sends about an alert, and their count after that. */
export interface MailStep extends MailCount {
  mails: AlertMailJob[];
}

type Letter = Pick<AlertMailJob, 'kind' | 'instances' | 'total' | 'held'>;

/**
 * Returns the mails that an evaluation sends about an alert: one to each address about all instances that fire, and one about
 * all that are resolved. If too many were sent within the hour, mails are held. The first evaluation after the hour sends one
 * mail about the present state instead of them. Undefined if it must first be looked up whether services are maintained.
 */
export function mailStep(alert: Alert, steps: readonly InstanceStep[], suppression: Suppression, now: Date): MailStep | undefined {
  if (alert.notify.length === 0) return { ...countOf(alert), mailsHeld: 0, mails: [] };
  const hourEnd = alert.mailHourAt && new Date(alert.mailHourAt.getTime() + HOUR_MS);
  const isOver = hourEnd === null || now >= hourEnd;
  const due = dueLetters(steps);
  if (isOver && alert.mailsHeld > 0) {
    const isTold = due.length > 0 ? true : mayTell(steps, suppression);
    if (isTold === undefined) return undefined;
    if (!isTold) return { ...countOf(alert), mails: [] };
    return sent(alert, [presentState(steps, alert.mailsHeld)], { mailHourAt: null, mailsSent: 0, mailsHeld: 0 }, now);
  }
  return sent(alert, due, isOver ? { mailHourAt: null, mailsSent: 0, mailsHeld: 0 } : countOf(alert), now);
}

const countOf = ({ mailHourAt, mailsSent, mailsHeld }: MailCount): MailCount => ({ mailHourAt, mailsSent, mailsHeld });

/** Returns the mails that may be sent. The last mail of the hour says that further mails are held. */
function sent(alert: Alert, letters: readonly Letter[], count: MailCount, now: Date): MailStep {
  const allowed = letters.slice(0, Math.max(0, MAILS_PER_HOUR - count.mailsSent));
  if (letters.length === 0) return { ...count, mails: [] };
  const mailHourAt = count.mailHourAt ?? now;
  const mailsSent = count.mailsSent + allowed.length;
  const pausedUntil = new Date(mailHourAt.getTime() + HOUR_MS).toISOString();
  const mails = allowed.flatMap((letter, index) => {
    const isLast = count.mailsSent + index + 1 === MAILS_PER_HOUR;
    const content = { ...letter, at: now.toISOString(), ...(isLast && { pausedUntil }) };
    return alert.notify.map((to) => ({ organizationId: alert.organizationId, alertId: alert.id, to, ...content }));
  });
  return { mailHourAt, mailsSent, mailsHeld: count.mailsHeld + letters.length - allowed.length, mails };
}

function dueLetters(steps: readonly InstanceStep[]): Letter[] {
  return (['firing', 'resolved'] as const).flatMap((kind) => {
    const about = steps.filter(({ notification }) => notification !== null && (notification === 'resolved') === (kind === 'resolved'));
    return about.length === 0 ? [] : [{ kind, ...listed(about.map(({ instance }) => instance)) }];
  });
}

/** Returns the mail about the present state. Its `kind` is one that processes of an earlier release know too. */
function presentState(steps: readonly InstanceStep[], held: number): Letter {
  const alarming = alarmingOf(steps);
  return { kind: alarming.length > 0 ? 'firing' : 'resolved', ...listed(alarming), held };
}

const alarmingOf = (steps: readonly InstanceStep[]): AlertInstance[] =>
  steps.map(({ instance }) => instance).filter(({ state }) => isAlarming(state));

/** Returns false while nobody is to be notified of any firing instance. Undefined if the maintenance of the services is not known yet. */
function mayTell(steps: readonly InstanceStep[], suppression: Suppression): boolean | undefined {
  const reasons: (AlertSuppression | null | undefined)[] = alarmingOf(steps).map(suppression);
  if (reasons.includes(undefined)) return undefined;
  return reasons.length === 0 || reasons.includes(null);
}

const listed = (instances: readonly AlertInstance[]): Pick<Letter, 'instances' | 'total'> => ({
  instances: instances.slice(0, LISTED_INSTANCES).map(({ serviceId, labels, value }) => ({ serviceId, labels, value: finite(value) })),
  total: instances.length,
});
