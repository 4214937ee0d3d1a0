import { registerEnumType } from 'type-graphql';

export enum NotificationType {
  EMAIL = 'email',
  SMS = 'sms',
}
registerEnumType(NotificationType, {
  name: 'NotificationType',
  description: 'Channel of a message.',
  valuesConfig: { EMAIL: { description: 'Message to an e-mail address.' }, SMS: { description: 'Text message to a mobile phone.' } },
});

export enum NotificationStatus {
  QUEUED = 'queued',
  SENT = 'sent',
  FAILED = 'failed',
}
registerEnumType(NotificationStatus, {
  name: 'NotificationStatus',
  description: 'Result of sending a message to one recipient.',
  valuesConfig: {
    QUEUED: { description: 'Waiting to be sent, or to be retried after the failure in `lastError`.' },
    SENT: { description: 'Accepted by the mail server or SMS provider.' },
    FAILED: { description: 'Not sent, without further attempts. `lastError` contains the reason.' },
  },
});

export enum CommentFilter {
  CUSTOMER_VISIBLE = 'customer_visible',
  ALL = 'all',
  INTERNAL = 'internal',
}
registerEnumType(CommentFilter, {
  name: 'CommentFilter',
  description: 'Comments to include in an e-mail. Internal comments can be sent to agents of the organization only.',
  valuesConfig: {
    CUSTOMER_VISIBLE: { description: 'Comments that the customer may read.' },
    ALL: { description: 'All comments.' },
    INTERNAL: { description: 'Internal comments.' },
  },
});
