import { registerEnumType } from 'type-graphql';

export enum CertificateStatus {
  ACTIVE = 'active',
  REVOKED = 'revoked',
}
registerEnumType(CertificateStatus, {
  name: 'CertificateStatus',
  description: 'Whether a certificate was revoked.',
  valuesConfig: { ACTIVE: { description: 'Accepted while it is valid.' }, REVOKED: { description: 'No longer accepted.' } },
});

export enum CertificateValidity {
  NOT_YET_VALID = 'not_yet_valid',
  VALID = 'valid',
  EXPIRED = 'expired',
}
registerEnumType(CertificateValidity, {
  name: 'CertificateValidity',
  description: 'Whether a certificate is valid now, according to its dates.',
  valuesConfig: {
    NOT_YET_VALID: { description: 'Before `notBefore`.' },
    VALID: { description: 'Between `notBefore` and `notAfter`.' },
    EXPIRED: { description: 'After `notAfter`.' },
  },
});
