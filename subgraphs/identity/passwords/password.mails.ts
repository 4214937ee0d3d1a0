import type { Mail } from '../../../kernel/messages/mail.ts';
import { instantOf, mailTo, type Recipient } from '../../../kernel/messages/mail-document.ts';

/** Parts of the link in a mail: public origin of the platform's pages, secret, and expiry. */
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

/**
 * Returns the mail to the user who already logs in with the invited address. It contains no link, because the
 * invitation cannot be accepted.
 */
export const addressInUseMail = (user: Recipient, organization: string, { expiresAt }: LinkParts): Mail =>
  mailTo(user, `You are invited to ${organization}, and your address is in use`, {
    paragraphs: [
      `${organization} has invited you at this address. You already log in with this address, and an address belongs to one user only, so you cannot accept the invitation with it.`,
      `To join, ask the sender to invite another address of yours. If you are already a user of ${organization}, ask its administrators for the access that you need. We have told nobody that this address is in use, and your user has not changed.`,
      `You do not have to do anything else. The invitation expires ${instantOf(expiresAt)}.`,
    ],
  });

export const resetMail = (user: Recipient, link: LinkParts): Mail =>
  mailTo(user, 'Choose a new password', {
    paragraphs: [
      `somebody, probably you, requested a new password. ${untilText(link)} If this was not you, ignore this mail: your password has not changed.`,
    ],
    link: linkOf(link),
  });

export const changedMail = (user: Recipient): Mail =>
  mailTo(user, 'Your password was changed', {
    paragraphs: [
      'your password was just changed, and all your other sessions were ended. If this was not you, request a new password at once and tell an administrator of your organization.',
    ],
  });

const linkOf = ({ authOrigin, secret }: LinkParts) => ({ label: 'Choose a password', url: `${authOrigin}/password?token=${secret}` });
const untilText = ({ expiresAt }: LinkParts): string => `The link can be used once, until ${instantOf(expiresAt)}.`;
