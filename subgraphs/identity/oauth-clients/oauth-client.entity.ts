import { timingSafeEqual } from 'node:crypto';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { type Grant, scopeOf } from '../../../kernel/access/principal.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { newSecret, secretDigest } from '../tokens/secret.ts';
import { OAuthGrantType } from './oauth-client-grant-types.ts';

type Members = Pick<OAuthClient, 'organizationId' | 'name' | 'isConfidential' | 'redirectUris' | 'grantTypes' | 'permissions'> &
  Partial<Pick<OAuthClient, 'accounts' | 'description' | 'homepageUrl' | 'logoUrl'>>;

const SECRET_PREFIX = 'cs_';

/** A program that asks the authorization server for tokens (specification 5.3). */
@ObjectType({ description: 'A program that asks for tokens by OAuth 2.0. Its `id` is the `client_id`.' })
@Entity({ tableName: 'oauth_client' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class OAuthClient {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Users are asked by this name whether they let it act for them.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Field(() => Boolean, { description: 'Whether it can keep a secret. A program on the device of a user cannot.' })
  @Property({ type: 'boolean' })
  isConfidential!: boolean;

  @Field(() => String, { nullable: true, description: 'In the answer to its creation or rotation only. Null for a public client.' })
  clientSecret: string | null = null;

  @Property({ type: 'text', nullable: true })
  secretHash: string | null = null;

  /** The secret before the last rotation, while it still works. */
  @Property({ type: 'text', nullable: true })
  previousSecretHash: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  previousSecretUntil: Date | null = null;

  @Field(() => [String], { description: 'Where users are sent back to. Compared exactly.' })
  @Property({ type: 'json' })
  redirectUris!: string[];

  @Field(() => [OAuthGrantType])
  @Property({ type: 'json' })
  grantTypes!: OAuthGrantType[];

  @Property({ type: 'json' })
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: 'The accounts that it is limited to; null: it sees the whole organization.' })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  homepageUrl: string | null = null;

  @Field(() => String, { nullable: true, description: 'For lists of applications; the sign-in pages load nothing from elsewhere.' })
  @Property({ type: 'text', nullable: true })
  logoUrl: string | null = null;

  @Field(() => Boolean, { description: 'An inactive client gets no tokens, and those it had have ended.' })
  @Property({ type: 'boolean' })
  active = true;

  /** What tokens of the client itself (client credentials) are issued in, and end with. */
  @Property({ type: 'text' })
  grantId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => [String], { description: 'What it may ask for: permissions with a dot, `services.read`.' })
  get scopes(): string[] {
    return this.permissions.map(scopeOf);
  }

  /** A confidential client shows its secret until it is loaded again. */
  static register(members: Members, now: Date, preset: { id?: string; secret?: string } = {}): OAuthClient {
    const client = Object.assign(new OAuthClient(), members, {
      id: preset.id ?? newId('oauthClient'),
      grantId: newId('grant'),
      createdAt: now,
      updatedAt: now,
    });
    if (client.isConfidential) showSecret(client, preset.secret ?? newSecret(SECRET_PREFIX));
    return client;
  }

  /** The old secret works until `graceUntil`. */
  rotate(graceUntil: Date, now: Date): void {
    Object.assign(this, { previousSecretHash: this.secretHash, previousSecretUntil: graceUntil, updatedAt: now });
    showSecret(this, newSecret(SECRET_PREFIX));
  }
}

function showSecret(client: OAuthClient, secret: string): void {
  client.clientSecret = secret;
  client.secretHash = secretDigest(secret);
}

/** What is compared at authentication, apart from the class: the authorization server keeps clients as metadata. */
export interface StoredSecrets {
  secretHash: string | null;
  previousSecretHash: string | null;
  previousSecretUntil: Date | null;
}

export function isSecretOf({ secretHash, previousSecretHash, previousSecretUntil }: StoredSecrets, shown: string, now: Date): boolean {
  const digest = Buffer.from(secretDigest(shown));
  const equals = (hash: string | null): boolean => hash !== null && timingSafeEqual(Buffer.from(hash), digest);
  return equals(secretHash) || (previousSecretUntil !== null && previousSecretUntil > now && equals(previousSecretHash));
}
