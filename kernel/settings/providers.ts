import { z } from 'zod';
import { dayList, flag, setting, text, url, wholeNumber } from './setting.ts';

/** Settings of external services: mail, SMS, file storage, and the provider of internet lines. */
export const providerSettings = {
  smtpUrl: setting({
    name: 'SMTP_URL',
    about: 'URL of the mail server that sends the mails.',
    schema: url(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com:465'),
    otherwise: 'mails are written to DATA_DIR/mail',
    secret: true,
  }),
  mailFrom: setting({
    name: 'MAIL_FROM',
    about: 'Name and address of the sender of mails.',
    schema: text.regex(/^[^\r\n]{3,320}$/, 'must be one line'),
    fallback: 'Platform <no-reply@localhost>',
  }),
  smsProviderUrl: setting({
    name: 'SMS_PROVIDER_URL',
    about: "Base URL of Twilio's API, or of a compatible API.",
    schema: url(['https:', 'http:'], 'https://api.twilio.com'),
    fallback: 'https://api.twilio.com',
  }),
  smsAccountSid: setting({
    name: 'SMS_ACCOUNT_SID',
    about: 'Account id at the SMS provider. Requires SMS_AUTH_TOKEN and SMS_FROM.',
    schema: text.regex(/^[\w-]{2,64}$/, 'must be an account id such as AC and 32 hexadecimal digits'),
    otherwise: 'SMS are not sent; they are written to DATA_DIR/sms',
  }),
  smsAuthToken: setting({
    name: 'SMS_AUTH_TOKEN',
    about: 'Auth token of the account SMS_ACCOUNT_SID.',
    schema: text,
    otherwise: 'none',
    secret: true,
  }),
  smsFrom: setting({
    name: 'SMS_FROM',
    about: 'Sender of SMS: a number such as +12125550100, or a messaging service (MG…).',
    schema: text.regex(/^(\+[1-9]\d{5,14}|MG\w{2,62})$/, 'must be a number such as +12125550100 or a messaging service such as MG…'),
    otherwise: 'none',
  }),
  filesS3Bucket: setting({
    name: 'FILES_S3_BUCKET',
    about: 'S3 bucket for attachments and reports. Processes that share a database need a bucket or a shared folder.',
    schema: text.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
    otherwise: 'DATA_DIR/files',
  }),
  filesS3Region: setting({
    name: 'FILES_S3_REGION',
    about: 'Region of FILES_S3_BUCKET.',
    schema: text.regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1'),
    fallback: 'us-east-1',
  }),
  filesS3Endpoint: setting({
    name: 'FILES_S3_ENDPOINT',
    about: 'URL of an S3-compatible store, such as MinIO. Requests use path-style bucket names.',
    schema: url(['https:', 'http:'], 'https://minio.example.com:9000'),
    otherwise: 'AWS',
  }),
  filesS3AccessKeyId: setting({
    name: 'FILES_S3_ACCESS_KEY_ID',
    about: 'Id of the access key for FILES_S3_BUCKET. Requires FILES_S3_SECRET_ACCESS_KEY.',
    schema: text,
    otherwise: 'found by the AWS SDK: environment, profile or machine role',
  }),
  filesS3SecretAccessKey: setting({
    name: 'FILES_S3_SECRET_ACCESS_KEY',
    about: 'Secret of the access key FILES_S3_ACCESS_KEY_ID.',
    schema: text,
    otherwise: 'found by the AWS SDK: environment, profile or machine role',
    secret: true,
  }),
  connectivityProviderUrl: setting({
    name: 'CONNECTIVITY_PROVIDER_URL',
    about: 'Base URL of a TMF641 service ordering API that provisions internet lines.',
    schema: url(['https:', 'http:'], 'https://provider.example.com'),
    otherwise: 'a simulated network',
  }),
  connectivityProviderToken: setting({
    name: 'CONNECTIVITY_PROVIDER_TOKEN',
    about: 'Bearer token for CONNECTIVITY_PROVIDER_URL.',
    schema: text,
    otherwise: 'no token is sent',
    secret: true,
  }),
  simulatedPace: setting({
    name: 'SIMULATED_PACE',
    about:
      'How long the simulated network works on an order: `fast` (less than a second) or `realistic` (20 to 60 seconds, for demonstrations).',
    schema: z.enum(['fast', 'realistic'], 'must be fast or realistic'),
    fallback: 'fast',
  }),
  stripeSecretKey: setting({
    name: 'STRIPE_SECRET_KEY',
    about: 'Secret key of Stripe, which then charges and refunds payments. Requires STRIPE_WEBHOOK_SECRET.',
    schema: text,
    otherwise: 'payments are simulated (TEST_PAYMENTS)',
    secret: true,
  }),
  stripeWebhookSecret: setting({
    name: 'STRIPE_WEBHOOK_SECRET',
    about: 'Signing secret of the webhook with which Stripe reports outcomes. Requires STRIPE_SECRET_KEY.',
    schema: text,
    otherwise: 'none',
    secret: true,
  }),
  stripeUrl: setting({
    name: 'STRIPE_URL',
    about: "Base URL of Stripe's API, for tests.",
    schema: url(['https:', 'http:'], 'https://api.stripe.com'),
    otherwise: "Stripe's",
  }),
  testPayments: setting({
    name: 'TEST_PAYMENTS',
    about: 'Payments are simulated while no payment processor is configured. Set it to 0 where customers pay: then they are declined.',
    schema: flag,
    fallback: '1',
  }),
  autoPayRetryDays: setting({
    name: 'AUTO_PAY_RETRY_DAYS',
    about: 'Days after the first automatic payment of an invoice on which a declined one is repeated.',
    schema: dayList(10),
    fallback: '3,7,14',
  }),
  dunningReminderDays: setting({
    name: 'DUNNING_REMINDER_DAYS',
    about: 'Days after the due date on which an account gets a reminder of an unpaid invoice by e-mail.',
    schema: dayList(10),
    fallback: '3,10',
  }),
  dunningSuspensionDays: setting({
    name: 'DUNNING_SUSPENSION_DAYS',
    about: 'Days after the due date of the oldest unpaid invoice on which the services of the account are suspended.',
    schema: wholeNumber(1, 3650),
    fallback: '30',
  }),
} as const;
