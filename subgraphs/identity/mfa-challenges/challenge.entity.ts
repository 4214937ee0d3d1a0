import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { MfaMethodType } from '../mfa/mfa.states.ts';

export const MAX_ATTEMPTS = 5;

/** A pending second-factor check (specification 3.6): one per session, and one per method that is being enrolled. */
@Entity({ tableName: 'mfa_challenge' })
export class MfaChallenge {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  userId!: string;

  /** Id of the session or OAuth grant that is elevated when the challenge is verified. */
  @Property({ type: 'text' })
  sessionId!: string;

  /** Id of the method that is enrolled when the challenge is verified; null if no method is being enrolled. */
  @Property({ type: 'text', nullable: true })
  methodId: string | null = null;

  /**
   * Equals `methodId`, or `sessionId` if no method is being enrolled. It is unique, so that concurrent requests of a
   * session that need a second factor get the same challenge.
   */
  @Property({ type: 'text' })
  @Unique()
  subjectId!: string;

  /** The method by which the last code was sent. */
  @Enum({ items: () => MfaMethodType, type: 'text', nullable: true })
  codeMethod: MfaMethodType | null = null;

  @Property({ type: 'text', nullable: true })
  codeHash: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  codeExpiresAt: Date | null = null;

  /**
   * Number of codes that were tried. It is increased before a code is checked, so that concurrent attempts cannot
   * exceed the limit.
   */
  @Property({ type: 'integer' })
  attempts = 0;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  verifiedAt: Date | null = null;

  /** Returns whether a code was sent and has not expired. */
  hasCode(now: Date): boolean {
    return this.codeExpiresAt !== null && this.codeExpiresAt > now;
  }
}
