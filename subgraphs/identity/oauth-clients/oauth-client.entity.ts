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

/** An OAuth client: a program that requests tokens from the authorization server (specification 5.3). */
@ObjectType({ description: 'A program that gets tokens by OAuth 2.0. Its `id` is the `client_id`.' })
@Entity({ tableName: 'oauth_client' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class OAuthClient {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name shown to users who are asked for consent, 1 to 100 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Free text, at most 1000 characters. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Field(() => Boolean, { description: 'True if the program can keep a secret, such as a server. False for an app on a device of a user.' })
  @Property({ type: 'boolean' })
  isConfidential!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The secret. Shown only in the response that creates or rotates the secret. Null otherwise, and for a public client.',
  })
  clientSecret: string | null = null;

  @Property({ type: 'text', nullable: true })
  secretHash: string | null = null;

  /** Hash of the secret that the last rotation replaced. It is valid until `previousSecretUntil`. */
  @Property({ type: 'text', nullable: true })
  previousSecretHash: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  previousSecretUntil: Date | null = null;

  @Field(() => [String], { description: 'Redirect URIs: addresses to which users are sent back. They are compared exactly.' })
  @Property({ type: 'json' })
  redirectUris!: string[];

  @Field(() => [OAuthGrantType], { description: 'Grant types that the client can use.' })
  @Property({ type: 'json' })
  grantTypes!: OAuthGrantType[];

  @Property({ type: 'json' })
  permissions!: Grant[];

  @Field(() => [ID], {
    nullable: true,
    description: 'Accounts that its tokens are limited to (`acc_…`). Null means the whole organization.',
  })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => String, { nullable: true, description: 'Web page of the program. Null if unknown.' })
  @Property({ type: 'text', nullable: true })
  homepageUrl: string | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Address of a logo that lists of applications can show. The sign-in pages do not load it. Null if unknown.',
  })
  @Property({ type: 'text', nullable: true })
  logoUrl: string | null = null;

  @Field(() => Boolean, { description: 'False if the client is deactivated: it gets no tokens, and its earlier tokens are revoked.' })
  @Property({ type: 'boolean' })
  active = true;

  /**
   * Grant under which the client's own tokens (client credentials) are issued. Revoking the grant revokes these tokens.
   */
  @Property({ type: 'text' })
  grantId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => [String], { description: 'Scopes that the client can request, such as `services.read`.' })
  get scopes(): string[] {
    return this.permissions.map(scopeOf);
  }

  /**
   * Creates a client. If the client is confidential, the returned object contains its secret in plain text. An object
   * that is loaded later does not contain the secret.
   */
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

  /** Creates a new secret. The old secret works until `graceUntil`. */
  rotate(graceUntil: Date, now: Date): void {
    Object.assign(this, { previousSecretHash: this.secretHash, previousSecretUntil: graceUntil, updatedAt: now });
    showSecret(this, newSecret(SECRET_PREFIX));
  }
}

function showSecret(client: OAuthClient, secret: string): void {
  client.clientSecret = secret;
  client.secretHash = secretDigest(secret);
}

/**
 * Hashes to compare a client's secret with. This type is separate from the entity, because the authorization server
 * stores the hashes as metadata of the client.
 */
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
