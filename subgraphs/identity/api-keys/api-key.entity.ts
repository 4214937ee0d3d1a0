import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { TimeWindow } from '../restrictions/time-window.ts';
import { ApiKeyRateLimit } from './api-key.values.ts';
import { digestOf, isSandboxKey, prefixOf } from './api-key-secret.ts';

const SHOWN_LAST = 4;

type Members = Pick<
  ApiKey,
  'organizationId' | 'name' | 'description' | 'permissions' | 'rateLimit' | 'ipWhitelist' | 'expiresAt' | 'createdAt'
> &
  Partial<Pick<ApiKey, 'accounts' | 'requireSignature' | 'timeWindows' | 'countries'>>;

/** An API key, with which programs authenticate (specification 2.2, 5.2). Only a hash of the key is stored. */
@ObjectType({ description: 'A key with which programs call the API.' })
@Entity({ tableName: 'api_key' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class ApiKey {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  @Unique()
  hash!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The secret. Shown only in the response that creates or rotates the secret. Null otherwise.',
  })
  key: string | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Secret to sign requests with. Shown only in the response that creates or rotates the secret. Null otherwise.',
  })
  signingSecret: string | null = null;

  /**
   * Encrypted signing secret. Null for the first key of an organization, which the platform creates. Rotating the first
   * key creates a signing secret.
   */
  @Property({ type: 'text', nullable: true, fieldName: 'signing_secret' })
  sealedSigningSecret: string | null = null;

  @Field(() => Boolean, { description: 'True if every request with this key must be signed.' })
  @Property({ type: 'boolean' })
  requireSignature = false;

  /** Hash of the key that the last rotation replaced. It is stored while the replaced key still works. */
  @Property({ type: 'text', nullable: true })
  @Unique()
  previousHash: string | null = null;

  @Property({ type: 'text', nullable: true, fieldName: 'previous_signing_secret' })
  previousSealedSigningSecret: string | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'Until this time, the secret from before the last rotation also works. Null if there is no grace period.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  previousExpiresAt: Date | null = null;

  @Field(() => String, { description: 'First characters of the secret: `sk_live_`, or `test_sk_` in a sandbox.' })
  @Property({ type: 'text' })
  prefix!: string;

  @Field(() => String, { description: 'Last four characters of the secret.' })
  @Property({ type: 'text' })
  last4!: string;

  @Field(() => String, { description: 'Name shown in lists, 1 to 100 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Free text, at most 1000 characters. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Field(() => [String], { description: 'Permissions as `<area>:<action>`, `<area>:*` or `*:*`.' })
  @Property({ type: 'json' })
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: 'Accounts that the key is limited to (`acc_…`). Null means the whole organization.' })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => ApiKeyRateLimit, {
    nullable: true,
    description: 'Limits of this key, in addition to the limits of the plan. Null if there are none.',
  })
  @Property({ type: 'json', nullable: true })
  rateLimit: ApiKeyRateLimit | null = null;

  @Property({ type: 'json' })
  ipWhitelist: string[] = [];

  @Property({ type: 'json' })
  timeWindows: TimeWindow[] = [];

  @Property({ type: 'json' })
  countries: string[] = [];

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the key expires. Null if it never does.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the key was last used, with a few seconds of delay. Null if it was never used.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsed: Date | null = null;

  @Field(() => Float, { description: 'Number of requests so far, with a few seconds of delay.' })
  @Property({ type: new BigIntType('number') })
  usageCount = 0;

  /**
   * Creates the record of a key. The returned object contains the key in plain text. An object that is loaded later
   * does not contain it.
   */
  static issue(text: string, members: Members): ApiKey {
    const shown = { key: text, prefix: prefixOf(isSandboxKey(text)), last4: text.slice(-SHOWN_LAST) };
    return Object.assign(new ApiKey(), members, shown, { id: newId('apiKey'), hash: digestOf(text) });
  }

  /**
   * Sets the signing secret. This object then contains the secret in plain text. An object that is loaded later does
   * not contain it.
   */
  signWith(secret: string, secrets: SecretBox): void {
    this.signingSecret = secret;
    this.sealedSigningSecret = secrets.seal(secret, this.id);
  }

  /**
   * Replaces the key. The replaced key works until `previousExpiresAt`. An older key from an earlier rotation stops
   * working immediately.
   */
  rotate(text: string, previousExpiresAt: Date | null): void {
    Object.assign(this, {
      previousHash: previousExpiresAt && this.hash,
      previousSealedSigningSecret: previousExpiresAt && this.sealedSigningSecret,
      previousExpiresAt,
      key: text,
      hash: digestOf(text),
      prefix: prefixOf(isSandboxKey(text)),
      last4: text.slice(-SHOWN_LAST),
    });
  }
}
