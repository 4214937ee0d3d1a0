import type { Mail } from '../../../kernel/messages/mail.ts';

interface Recipient {
  email: string;
  name: string;
}

/** Where the platform's own pages are, and how long a link in a mail works. */
export interface LinkParts {
  authOrigin: string;
  secret: string;
  expiresAt: Date;
}

export function invitationMail({ email, name }: Recipient, organization: string, link: LinkParts): Mail {
  return mail(email, `You are invited to ${organization}`, [
    `Hello ${name},`,
    `you are invited to ${organization}. Choose a password to accept:`,
    urlOf(link),
    untilText(link),
  ]);
}

/** Somebody logs in by the address elsewhere. Holds no link: there is nothing that it could open. */
export function addressInUseMail({ email, name }: Recipient, organization: string, { expiresAt }: LinkParts): Mail {
  return mail(email, `You are invited to ${organization}, and your address is in use`, [
    `Hello ${name},`,
    `${organization} has invited you at this address. You already log in by it as a user of another organization, and an address belongs to one user: the invitation cannot be accepted with it.`,
    'To join, ask the sender to invite another address of yours. Nobody was told that this one is in use, and your user stays as it is.',
    `There is nothing else to do: the invitation expires ${dayOf(expiresAt)}.`,
  ]);
}

export function resetMail({ email, name }: Recipient, link: LinkParts): Mail {
  return mail(email, 'Choose a new password', [
    `Hello ${name},`,
    'somebody, probably you, asked for a new password. Choose it here:',
    urlOf(link),
    `${untilText(link)} If it was not you, there is nothing to do: your password stays as it is.`,
  ]);
}

export function changedMail({ email, name }: Recipient): Mail {
  return mail(email, 'Your password was changed', [
    `Hello ${name},`,
    'your password was changed just now, and all your other sessions were ended. If it was not you, ask for a new password at once and tell an administrator of your organization.',
  ]);
}

const urlOf = ({ authOrigin, secret }: LinkParts): string => `${authOrigin}/password?token=${secret}`;
const untilText = ({ expiresAt }: LinkParts): string => `The link works once, until ${dayOf(expiresAt)}.`;
const dayOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function mail(to: string, subject: string, paragraphs: readonly string[]): Mail {
  return { to, subject: oneLine(subject), text: `${paragraphs.join('\n\n')}\n` };
}

/** A name that somebody chose must not become a header of its own. */
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');
