import { registerEnumType } from 'type-graphql';

export enum CertificateStatus {
  ACTIVE = 'active',
  REVOKED = 'revoked',
}
registerEnumType(CertificateStatus, { name: 'CertificateStatus' });

export enum CertificateValidity {
  NOT_YET_VALID = 'not_yet_valid',
  VALID = 'valid',
  EXPIRED = 'expired',
}
registerEnumType(CertificateValidity, {
  name: 'CertificateValidity',
  description: 'Where the present moment lies between `notBefore` and `notAfter`. Only a valid one is accepted.',
});
