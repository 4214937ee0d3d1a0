import { ArrayMaxSize, Matches, Max, Min } from 'class-validator';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { MAILS_PER_HOUR } from './alert.mails.ts';

const LABELS_MAX = 16;
const GROUPS_MAX = 5;
const ADDRESSES_MAX = 10;
export const DESCRIPTION_MAX = 2000;
export const DAY_SECONDS = 86_400;
export const WINDOW_DEFAULT = 300;
export const RECOVER_FOR_DEFAULT = 60;
export const INTERVAL_DEFAULT = 60;

export const range =
  (min: number, max: number): PropertyDecorator =>
  (target, key) => {
    const options = { message: `must be between ${min} and ${max}` };
    Min(min, options)(target, key);
    Max(max, options)(target, key);
  };
const atMost = (max: number): PropertyDecorator => ArrayMaxSize(max, { message: `must have at most ${max} items` });
export const isLabels = (): PropertyDecorator => (target, key) => {
  atMost(LABELS_MAX)(target, key);
  Matches(/^[A-Za-z_][\w.-]{0,63}=[\s\S]{0,256}$/, { each: true, message: 'must have the form name=value' })(target, key);
};
export const isGroupBy = (): PropertyDecorator => (target, key) => {
  atMost(GROUPS_MAX)(target, key);
  Matches(/^[A-Za-z_][\w.-]{0,63}$/, { each: true, message: 'must be the name of a label, or service_id' })(target, key);
};
export const isAddresses = (): PropertyDecorator => (target, key) => {
  atMost(ADDRESSES_MAX)(target, key);
  EmailAddress(undefined, { each: true })(target, key);
};

/** Descriptions of the fields. Each input adds what a missing field or a null means. */
export const DESCRIPTIONS = {
  labels: `Only series with these labels, each written as \`name=value\`: at most ${LABELS_MAX}.`,
  groupBy: `Names of labels, or \`service_id\`, by which series are grouped: at most ${GROUPS_MAX}. The alert has an instance for each combination of values, at most 200.`,
  aggregation: 'How the samples of the window become one value. For the rate of a counter, use `RATE`.',
  threshold: 'Limit of the value. Required, unless the condition is `ABSENT`.',
  lowerThreshold: 'Lower limit of the value. Required if the condition is `OUTSIDE`, and not allowed for other conditions.',
  recoveryThreshold:
    'Limit beyond which the value must return before the alert recovers. It prevents an alert that repeatedly fires and recovers. Not allowed for `OUTSIDE` and `ABSENT`.',
  windowSeconds: `Length of the window in seconds, 60 to ${DAY_SECONDS}. It ends 10 seconds before the evaluation. Windows longer than 30 minutes end at a full minute.`,
  forSeconds: `How long the condition must be met before the alert fires, in seconds, 0 to ${DAY_SECONDS}.`,
  recoverForSeconds: `How long the condition must not be met before the alert resolves, in seconds, 0 to ${DAY_SECONDS}.`,
  intervalSeconds: 'Time between two evaluations, in seconds, 15 to 3600, and at least a 120th of the window.',
  noData: 'Effect if there are no samples in the window.',
  notify: `E-mail addresses that are notified when the alert fires, and when it is resolved: at most ${ADDRESSES_MAX}. Each gets at most ${MAILS_PER_HOUR} e-mails of the alert in an hour, and after that one about the state at its end if something changed. Webhooks get the events \`alert.firing\` and \`alert.resolved\`.`,
  repeatEverySeconds: 'Seconds after which people are notified again while the alert fires and is not acknowledged, 300 to 604800.',
  openIncident:
    'Whether the alert opens an incident when it fires. If the alert or its service already has an open incident, the alert is added to it. The incident resolves itself five minutes after nothing fails any more.',
  openTicket:
    'Priority of the support ticket that the alert opens when it fires. An incident gets at most one ticket in this way, so set `openIncident` to get one ticket for several alerts. Without an incident, the alert opens one ticket from its first instance that fires until none has fired for five minutes. The ticket belongs to the account of the service of the alert, or to the account of your organization. It is never closed automatically: when the cause has ended, it gets an internal comment. Needs the permission `support:create` too.',
  description: `What to do when the alert fires, 1 to ${DESCRIPTION_MAX} characters. It is part of the notification.`,
};
