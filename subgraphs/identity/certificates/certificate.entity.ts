import type { X509Certificate } from 'node:crypto';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { CertificateStatus, CertificateValidity } from './certificate.states.ts';
import { fingerprintOf, nameOnOneLine } from './certificate-x509.ts';

type Members = Pick<Certificate, 'organizationId' | 'name' | 'permissions' | 'createdAt'> & Partial<Pick<Certificate, 'accounts'>>;

/** A client certificate, with which programs authenticate (specification 2.4, 5.5). Only some of its fields are stored. */
@ObjectType({ description: 'A client certificate with which programs call the API by mutual TLS, instead of a key.' })
@Entity({ tableName: 'certificate' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class Certificate {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name shown in lists, 1 to 100 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => [String], { description: 'Permissions as `<area>:<action>`, `<area>:*` or `*:*`.' })
  @Property({ type: 'json' })
  permissions!: Grant[];

  @Field(() => [ID], {
    nullable: true,
    description: 'Accounts that the certificate is limited to (`acc_…`). Null means the whole organization.',
  })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => String, { description: 'SHA-256 of the certificate in DER, in lower-case hexadecimal digits.' })
  @Property({ type: 'text' })
  @Unique()
  fingerprint!: string;

  @Field(() => String, { description: 'Distinguished name of the owner. Empty if the certificate has none.' })
  @Property({ type: 'text' })
  subject!: string;

  @Field(() => String, { description: 'Distinguished name of the issuer.' })
  @Property({ type: 'text' })
  issuer!: string;

  @Field(() => String, { description: 'Serial number in hexadecimal digits.' })
  @Property({ type: 'text' })
  serialNumber!: string;

  @Field(() => Date, { description: 'Start of the validity.' })
  @Property({ type: 'datetime', length: 3 })
  notBefore!: Date;

  @Field(() => Date, { description: 'End of the validity.' })
  @Property({ type: 'datetime', length: 3 })
  notAfter!: Date;

  @Field(() => CertificateStatus, { description: 'Whether the certificate was revoked.' })
  @Enum({ items: () => CertificateStatus, type: 'text', default: CertificateStatus.ACTIVE })
  status = CertificateStatus.ACTIVE;

  @Field(() => Date, { nullable: true, description: 'When the certificate was revoked. Null unless it was revoked.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  revokedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When it was last used, with a few seconds of delay. Null if it was never used.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsed: Date | null = null;

  @Field(() => Float, { description: 'Number of requests so far, with a few seconds of delay.' })
  @Property({ type: new BigIntType('number') })
  usageCount = 0;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** Creates the record of a certificate. The caller must check the certificate first. */
  static of(certificate: X509Certificate, members: Members): Certificate {
    return Object.assign(new Certificate(), members, {
      id: newId('certificate'),
      fingerprint: fingerprintOf(certificate),
      subject: nameOnOneLine(certificate.subject),
      issuer: nameOnOneLine(certificate.issuer),
      serialNumber: certificate.serialNumber.toLowerCase(),
      notBefore: certificate.validFromDate,
      notAfter: certificate.validToDate,
    });
  }

  /** Revokes the certificate permanently. Returns false if it was already revoked. */
  revoke(now: Date): boolean {
    if (this.status === CertificateStatus.REVOKED) return false;
    this.status = CertificateStatus.REVOKED;
    this.revokedAt = now;
    return true;
  }

  validityAt(now: Date): CertificateValidity {
    if (now < this.notBefore) return CertificateValidity.NOT_YET_VALID;
    return now <= this.notAfter ? CertificateValidity.VALID : CertificateValidity.EXPIRED;
  }
}
