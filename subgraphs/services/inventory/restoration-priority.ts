import { registerEnumType } from 'type-graphql';

/** Urgency with which a service is restored after an outage. It follows from the service level. */
export enum RestorationPriority {
  HIGH = 'high',
  MEDIUM = 'medium',
  LOW = 'low',
}
registerEnumType(RestorationPriority, {
  name: 'RestorationPriority',
  description: 'How urgently a service is restored after an outage.',
  valuesConfig: {
    HIGH: { description: 'Services with the service level `enterprise`.' },
    MEDIUM: { description: 'Services with the service level `business`.' },
    LOW: { description: 'Services with another service level, or without a service level.' },
  },
});

/** Service levels with a higher priority than `low`. */
const PRIORITIES: ReadonlyMap<string, RestorationPriority> = new Map([
  ['enterprise', RestorationPriority.HIGH],
  ['business', RestorationPriority.MEDIUM],
]);

/** Returns the priority of a service with this service level, or with none. */
export const priorityOf = (sla: string | null): RestorationPriority => PRIORITIES.get(sla ?? '') ?? RestorationPriority.LOW;

/** Returns the condition for services that have one of these priorities. */
export function withPriority(wanted: readonly RestorationPriority[]): object {
  const known = [...PRIORITIES.keys()];
  const named = { sla: { $in: known.filter((sla) => wanted.includes(priorityOf(sla))) } };
  if (!wanted.includes(RestorationPriority.LOW)) return named;
  return { $or: [named, { sla: { $nin: known } }, { sla: null }] };
}
