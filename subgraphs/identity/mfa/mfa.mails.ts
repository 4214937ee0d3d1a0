import type { Mail } from '../../../kernel/messages/mail.ts';
import { mailTo, type Recipient } from '../../../kernel/messages/mail-document.ts';
import { MfaMethodType } from './mfa.states.ts';

const NAMES: Readonly<Record<MfaMethodType, string>> = {
  [MfaMethodType.TOTP]: 'an authenticator app',
  [MfaMethodType.SMS]: 'codes by SMS',
  [MfaMethodType.EMAIL]: 'codes by e-mail',
};

const NOT_YOU = 'If this was not you, change your password at once and tell an administrator of your organization.';

export const enrolledMail = (user: Recipient, type: MfaMethodType): Mail =>
  mail(user, 'A second factor was set up', `a second factor was just set up for your login: ${NAMES[type]}.`);

export const removedMail = (user: Recipient, by: 'yourself' | 'an administrator'): Mail =>
  mail(user, 'A second factor was removed', `a second factor of your login was just removed by ${by}.`);

export const backupCodesMail = (user: Recipient): Mail =>
  mail(user, 'New backup codes', 'new backup codes were just created for your login. The earlier codes no longer work.');

const mail = (user: Recipient, subject: string, sentence: string): Mail => mailTo(user, subject, { paragraphs: [sentence, NOT_YOU] });
