import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { proofName, proofValue } from './domain-proof.ts';
import { SamlDomainStatus } from './saml-domain.states.ts';

/** How long a proven domain works on after its record has disappeared from DNS. */
export const LOSS_MS = 7 * DAY_MS;

/** An e-mail domain that a SAML connection names, and what DNS says of it. Holds for the connection while it `works`. */
@ObjectType('SamlDomain', { description: 'An e-mail domain of a SAML connection. It signs in nobody until DNS proves it.' })
@Entity({ tableName: 'saml_domain_claim' })
@Unique({ properties: ['organizationId', 'domain'] })
export class SamlDomainClaim {
  @PrimaryKey({ type: 'text' })
  connectionId!: string;

  @Field(() => String)
  @PrimaryKey({ type: 'text' })
  domain!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', length: 3, nullable: true })
  provenAt: Date | null = null;

  /** When the record of a proven domain was first missing. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  /** Until when a domain works that was in use before proofs were asked for. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  graceUntil: Date | null = null;

  /** When the owners were last told of `graceUntil`. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  warnedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When its DNS was last asked.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  checkedAt: Date | null = null;

  /** When its DNS is asked next. */
  @Property({ type: 'datetime', length: 3 })
  @Index()
  checkDueAt!: Date;

  @Field(() => String, { nullable: true, description: 'Why it is not proven, or will not be for long.' })
  @Property({ type: 'text', nullable: true })
  problem: string | null = null;

  @Field(() => SamlDomainStatus)
  get status(): SamlDomainStatus {
    return this.provenAt ? SamlDomainStatus.PROVEN : SamlDomainStatus.CLAIMED;
  }

  @Field(() => String, { description: 'Where the TXT record must stand that proves it.' })
  get txtName(): string {
    return proofName(this.domain);
  }

  @Field(() => String, { description: 'What the TXT record must hold. The same for every connection of the organization.' })
  get txtValue(): string {
    return proofValue(this.organizationId, this.domain);
  }

  @Field(() => Date, { nullable: true, description: 'When it stops to sign users in, unless its record is found before.' })
  get worksUntil(): Date | null {
    return this.failingSince ? new Date(this.failingSince.getTime() + LOSS_MS) : this.graceUntil;
  }

  /** Whether the connection that has the domain may sign users in by it. */
  worksAt(now: Date): boolean {
    const until = this.worksUntil;
    return until ? until > now : this.provenAt !== null;
  }
}
