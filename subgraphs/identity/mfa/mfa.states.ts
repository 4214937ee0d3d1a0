import { registerEnumType } from 'type-graphql';

/** Kinds of second factors (specification 2.4). */
export enum MfaMethodType {
  TOTP = 'totp',
  SMS = 'sms',
  EMAIL = 'email',
}
registerEnumType(MfaMethodType, {
  name: 'MfaMethodType',
  description: 'Kind of second factor.',
  valuesConfig: {
    TOTP: { description: 'Codes of an authenticator app.' },
    SMS: { description: 'Codes by SMS.' },
    EMAIL: { description: 'Codes by e-mail.' },
  },
});

/** Methods for which the platform sends a code. */
export type SentMethodType = MfaMethodType.SMS | MfaMethodType.EMAIL;

export const METHOD_TYPES: readonly MfaMethodType[] = [MfaMethodType.TOTP, MfaMethodType.SMS, MfaMethodType.EMAIL];
