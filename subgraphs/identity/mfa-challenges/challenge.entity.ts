import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { MfaMethodType } from '../mfa/mfa.states.ts';

export const MAX_ATTEMPTS = 5;

/** A demand for a second factor (specification 3.6): one for each session, and one for each method that is being enrolled. */
@Entity({ tableName: 'mfa_challenge' })
export class MfaChallenge {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  userId!: string;

  /** What is lifted when it is verified: the session, or the grant to a client. */
  @Property({ type: 'text' })
  sessionId!: string;

  /** The method that its answer enrols; null for a demand. */
  @Property({ type: 'text', nullable: true })
  methodId: string | null = null;

  /** The session or the method: of many requests that are refused together all get the same challenge. */
  @Property({ type: 'text' })
  @Unique()
  subjectId!: string;

  /** How the last code was sent. */
  @Enum({ items: () => MfaMethodType, type: 'text', nullable: true })
  codeMethod: MfaMethodType | null = null;

  @Property({ type: 'text', nullable: true })
  codeHash: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  codeExpiresAt: Date | null = null;

  /** Counted before a code is looked at: of many at once no more than the limit are. */
  @Property({ type: 'integer' })
  attempts = 0;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  verifiedAt: Date | null = null;

  /** Whether a code that was sent can still be right. */
  hasCode(now: Date): boolean {
    return this.codeExpiresAt !== null && this.codeExpiresAt > now;
  }
}
