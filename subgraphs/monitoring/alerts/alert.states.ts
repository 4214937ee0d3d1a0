import { registerEnumType } from 'type-graphql';

export enum AlertState {
  OK = 'ok',
  PENDING = 'pending',
  FIRING = 'firing',
  RECOVERING = 'recovering',
  NO_DATA = 'no_data',
}
registerEnumType(AlertState, {
  name: 'AlertState',
  description: 'State of an alert, or of one of its instances. The state of an alert is the worst of its instances.',
  valuesConfig: {
    OK: { description: 'The condition is not met.' },
    PENDING: { description: 'The condition is met, but not yet for `forSeconds`.' },
    FIRING: { description: 'The condition is met. People have been notified, unless notifications are suppressed.' },
    RECOVERING: { description: 'The condition is no longer met, but not yet for `recoverForSeconds`.' },
    NO_DATA: { description: 'There are no samples, so it is not known whether the condition is met.' },
  },
});

/** Alert states, from worst to best. */
const BY_WEIGHT: readonly AlertState[] = [AlertState.FIRING, AlertState.RECOVERING, AlertState.PENDING, AlertState.NO_DATA, AlertState.OK];

/** Returns the worst of some alert states. OK if the list is empty. */
export const worstOf = (states: readonly AlertState[]): AlertState => BY_WEIGHT.find((state) => states.includes(state)) ?? AlertState.OK;

/** States of an instance that fires, or has not stopped firing for long enough. */
export const ALARMING: readonly AlertState[] = [AlertState.FIRING, AlertState.RECOVERING];

/** Returns true if a notification is sent when an instance leaves this state. */
export const isAlarming = (state: AlertState | undefined): boolean => state !== undefined && ALARMING.includes(state);

export enum AlertCondition {
  ABOVE = 'above',
  ABOVE_OR_EQUAL = 'above_or_equal',
  BELOW = 'below',
  BELOW_OR_EQUAL = 'below_or_equal',
  OUTSIDE = 'outside',
  ABSENT = 'absent',
  CHANGE_ABOVE = 'change_above',
  CHANGE_BELOW = 'change_below',
}
registerEnumType(AlertCondition, {
  name: 'AlertCondition',
  description: 'When an alert fires. The value is the aggregation of the samples of the window.',
  valuesConfig: {
    ABOVE: { description: 'The value is above `threshold`.' },
    ABOVE_OR_EQUAL: { description: 'The value is at least `threshold`.' },
    BELOW: { description: 'The value is below `threshold`.' },
    BELOW_OR_EQUAL: { description: 'The value is at most `threshold`.' },
    OUTSIDE: { description: 'The value is below `lowerThreshold` or above `threshold`.' },
    ABSENT: { description: 'There is no sample in the window.' },
    CHANGE_ABOVE: {
      description:
        'The change from the value of the window before, in percent, is above `threshold`. Example: 50 means more than 1.5 times the value of the window before.',
    },
    CHANGE_BELOW: {
      description:
        'The change from the value of the window before, in percent, is below `threshold`. Example: -50 means less than half of the value of the window before.',
    },
  },
});

export enum AlertSeverity {
  INFO = 'info',
  WARNING = 'warning',
  CRITICAL = 'critical',
}
registerEnumType(AlertSeverity, {
  name: 'AlertSeverity',
  description: 'How serious it is if an alert fires.',
  valuesConfig: {
    INFO: { description: 'Somebody should know.' },
    WARNING: { description: 'Somebody should look soon.' },
    CRITICAL: { description: 'Somebody must act at once.' },
  },
});

export enum AlertNoData {
  OK = 'ok',
  NO_DATA = 'no_data',
  FIRING = 'firing',
}
registerEnumType(AlertNoData, {
  name: 'AlertNoData',
  description: 'Effect on an alert if there are no samples in its window.',
  valuesConfig: {
    OK: { description: 'The condition counts as not met.' },
    NO_DATA: {
      description:
        'The state is `NO_DATA`. An alert that is firing or recovering stays so, and resolves after two windows without samples.',
    },
    FIRING: { description: 'The condition counts as met.' },
  },
});

export enum AlertReason {
  VALUE = 'value',
  NO_DATA = 'no_data',
  SERIES_GONE = 'series_gone',
  DELETED = 'deleted',
}
registerEnumType(AlertReason, {
  name: 'AlertReason',
  description: 'Why the state of an instance of an alert changed.',
  valuesConfig: {
    VALUE: { description: 'The value meets the condition, or does not meet it any more.' },
    NO_DATA: { description: 'There were no samples in the window.' },
    SERIES_GONE: { description: 'The series have had no samples for a day, or the alert no longer selects them.' },
    DELETED: { description: 'The alert was deleted.' },
  },
});

export enum AlertSuppression {
  SILENCE = 'silence',
  MAINTENANCE = 'maintenance',
}
registerEnumType(AlertSuppression, {
  name: 'AlertSuppression',
  description: 'Why nobody is notified of an alert that fires.',
  valuesConfig: {
    SILENCE: { description: 'A caller has silenced the alert.' },
    MAINTENANCE: { description: 'The service is in maintenance.' },
  },
});
