import type { Secrets } from '../../kernel/access/secrets.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Orm } from '../../kernel/database/database.ts';
import type { MailQueue, SmsQueue } from '../../kernel/messages/sealed-messages.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { ChangeFeed } from './authentication/change-feed.ts';
import { BackupCodes } from './mfa/backup-codes.ts';
import { CodeHash } from './mfa/code-hash.ts';
import { MfaService } from './mfa/mfa.service.ts';
import { MfaChallenges } from './mfa-challenges/challenge.service.ts';
import { ChallengeCodes } from './mfa-challenges/challenge-codes.ts';
import { ChallengeLimits } from './mfa-challenges/challenge-limits.ts';
import { Verification } from './mfa-challenges/challenge-verification.ts';
import { MFA_SECRETS } from './sealed.ts';
import type { KnownPlaces } from './sessions/known-places.ts';

export interface MfaPorts {
  orm: Orm;
  clock: Clock;
  mails: MailQueue;
  messages: SmsQueue;
  trail: AuditTrail;
  feed: ChangeFeed;
  places: KnownPlaces;
  secrets: Secrets;
}

/** Services for second factors, once per process: methods, challenges and verification. */
export interface Mfa {
  methods: MfaService;
  challenges: MfaChallenges;
  verification: Verification;
}

export function createMfa({ orm, clock, mails, messages, trail, feed, places, secrets }: MfaPorts): Mfa {
  const codeHash = new CodeHash(secrets.hash('mfa-codes'));
  const box = secrets.box(MFA_SECRETS);
  const backupCodes = new BackupCodes(codeHash);
  const limits = new ChallengeLimits(orm, clock, places);
  const codes = new ChallengeCodes({ clock, mails, messages, codeHash, limits });
  const challenges = new MfaChallenges({ orm, clock, codes });
  return {
    methods: new MfaService({ orm, clock, box, mails, trail, feed, challenges, codes, backupCodes }),
    challenges,
    verification: new Verification({ orm, clock, box, challenges, codes, limits, backupCodes, places, trail, feed }),
  };
}
