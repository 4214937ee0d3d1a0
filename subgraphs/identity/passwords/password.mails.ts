import type { Mail } from '../../../kernel/messages/mail.ts';
import { instantOf, mailTo, type Recipient } from '../../../kernel/messages/mail-document.ts';

/** Where the platform's own pages are, and how long a link in a mail works. */
export interface LinkParts {
  authOrigin: string;
  secret: string;
  expiresAt: Date;
}

export const invitationMail = (user: Recipient, organization: string, link: LinkParts): Mail =>
  mailTo(user, `You are invited to ${organization}`, {
    paragraphs: [`you are invited to ${organization}. Choose a password to accept. ${untilText(link)}`],
    link: linkOf(link),
  });

/** Somebody logs in by the address elsewhere. Holds no link: there is nothing that it could open. */
export const addressInUseMail = (user: Recipient, organization: string, { expiresAt }: LinkParts): Mail =>
  mailTo(user, `You are invited to ${organization}, and your address is in use`, {
    paragraphs: [
      `${organization} has invited you at this address. You already log in by it, and an address belongs to one user: the invitation cannot be accepted with it.`,
      `To join, ask the sender to invite another address of yours; if you are a user of ${organization} already, ask its administrators for access to what you need. Nobody was told that this one is in use, and your user stays as it is.`,
      `There is nothing else to do: the invitation expires ${instantOf(expiresAt)}.`,
    ],
  });

export const resetMail = (user: Recipient, link: LinkParts): Mail =>
  mailTo(user, 'Choose a new password', {
    paragraphs: [
      `somebody, probably you, asked for a new password. ${untilText(link)} If it was not you, there is nothing to do: your password stays as it is.`,
    ],
    link: linkOf(link),
  });

export const changedMail = (user: Recipient): Mail =>
  mailTo(user, 'Your password was changed', {
    paragraphs: [
      'your password was changed just now, and all your other sessions were ended. If it was not you, ask for a new password at once and tell an administrator of your organization.',
    ],
  });

const linkOf = ({ authOrigin, secret }: LinkParts) => ({ label: 'Choose a password', url: `${authOrigin}/password?token=${secret}` });
const untilText = ({ expiresAt }: LinkParts): string => `The link works once, until ${instantOf(expiresAt)}.`;
