import { registerEnumType } from 'type-graphql';

export enum NotificationType {
  EMAIL = 'email',
  SMS = 'sms',
}
registerEnumType(NotificationType, { name: 'NotificationType' });

export enum NotificationStatus {
  QUEUED = 'queued',
  SENT = 'sent',
  FAILED = 'failed',
}
registerEnumType(NotificationStatus, {
  name: 'NotificationStatus',
  description:
    '`QUEUED`: to be sent, or tried again after a failure that `lastError` tells. `SENT`: the mail server or SMS provider has taken it. `FAILED`: given up; `lastError` says why.',
});

export enum CommentFilter {
  CUSTOMER_VISIBLE = 'customer_visible',
  ALL = 'all',
  INTERNAL = 'internal',
}
registerEnumType(CommentFilter, {
  name: 'CommentFilter',
  description: 'Which comments a mail shows. `ALL` and `INTERNAL` go to agents of the organization only.',
});
