import { AuthorType } from '../comment-author.ts';
import { INTERNAL_NOTE } from '../comments/comment.entity.ts';
import type { Draft } from '../comments/comment-writer.ts';
import { Visibility } from '../visibility.ts';

/** The incident that has ended, or the alert that has ended and had no incident. */
export type MonitoringSubject = { incident: { id: string; number: string; title: string } } | { alertId: string };

/** Returns an internal comment that tells the support desk that an incident or alert has ended. */
export function endNote(subject: MonitoringSubject): Draft {
  const isIncident = 'incident' in subject;
  const id = isIncident ? subject.incident.id : subject.alertId;
  return {
    content: isIncident
      ? `The incident ${subject.incident.number} (${subject.incident.title}) was resolved.`
      : 'The alert that opened this ticket has not fired for five minutes.',
    type: INTERNAL_NOTE,
    visibility: Visibility.INTERNAL,
    author: { type: AuthorType.SYSTEM, id, name: 'Monitoring', email: null },
    metadata: isIncident ? { incident_id: id } : { alert_id: id },
  };
}
