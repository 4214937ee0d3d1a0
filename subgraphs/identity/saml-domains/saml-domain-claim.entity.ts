import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { proofName, proofValue } from './domain-proof.ts';
import { SamlDomainStatus } from './saml-domain.states.ts';

/**
 * Time for which users can still sign in with a proven domain after the TXT record of the proof has disappeared from
 * DNS.
 */
export const LOSS_MS = 7 * DAY_MS;

/**
 * A SAML connection's claim to an e-mail domain, with the result of DNS checks. Users can sign in with the domain while `worksAt` is true.
 */
@ObjectType('SamlDomain', {
  description: 'An e-mail domain of a SAML connection. Users can sign in with it once DNS proves that it is yours.',
})
@Entity({ tableName: 'saml_domain_claim' })
@Unique({ properties: ['organizationId', 'domain'] })
export class SamlDomainClaim {
  @PrimaryKey({ type: 'text' })
  connectionId!: string;

  @Field(() => String, { description: 'Domain, such as example.com.' })
  @PrimaryKey({ type: 'text' })
  domain!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it was last proven. Null if it is not proven.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  provenAt: Date | null = null;

  /** Time at which a DNS check first failed to find the TXT record of a proven domain. Null if the record is not missing. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  /** End of the grace period for a domain that was in use before proofs were required. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  graceUntil: Date | null = null;

  /** Time of the last warning to the owners about `graceUntil`. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  warnedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When DNS was last queried. Null before the first time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  checkedAt: Date | null = null;

  /** Time of the next DNS check. */
  @Property({ type: 'datetime', length: 3 })
  @Index()
  checkDueAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Why the domain is not proven, or why its proof will soon be lost. Null if there is no problem.',
  })
  @Property({ type: 'text', nullable: true })
  problem: string | null = null;

  @Field(() => SamlDomainStatus, { description: 'Whether the domain is proven.' })
  get status(): SamlDomainStatus {
    return this.provenAt ? SamlDomainStatus.PROVEN : SamlDomainStatus.CLAIMED;
  }

  @Field(() => String, { description: 'Name of the TXT record that proves the domain.' })
  get txtName(): string {
    return proofName(this.domain);
  }

  @Field(() => String, { description: 'Required content of the TXT record. It is the same for all connections of your organization.' })
  get txtValue(): string {
    return proofValue(this.organizationId, this.domain);
  }

  @Field(() => Date, {
    nullable: true,
    description: 'When the domain stops working because its TXT record is missing. Null if the record was found.',
  })
  get worksUntil(): Date | null {
    return this.failingSince ? new Date(this.failingSince.getTime() + LOSS_MS) : this.graceUntil;
  }

  /** Returns whether users may sign in with the domain. */
  worksAt(now: Date): boolean {
    const until = this.worksUntil;
    return until ? until > now : this.provenAt !== null;
  }
}
