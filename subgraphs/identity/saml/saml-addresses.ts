/** Addresses of the service provider that identity providers use (specification 5.6). */
export class SamlAddresses {
  /** @param origin origin of the SAML endpoints, which the specification calls `{service_origin}` */
  constructor(readonly origin: string) {}

  get acsUrl(): string {
    return `${this.origin}/saml/acs`;
  }

  /**
   * Returns the entity id of the service provider for a connection. Each connection has a separate entity id, so that a
   * response for one connection is not accepted for another connection.
   */
  entityIdOf(connectionId: string | undefined): string {
    return `${this.origin}/saml/metadata${connectionId ? `?connection=${connectionId}` : ''}`;
  }

  signInUrlOf(connectionId: string): string {
    return `${this.origin}/saml/sso?connection=${connectionId}`;
  }

  /**
   * Returns the connection id that `entityId` contains. Returns undefined if `entityId` is not an entity id of this
   * platform.
   */
  connectionIn(entityId: string): string | undefined {
    const id = /\?connection=(saml_\w{1,64})$/.exec(entityId)?.[1];
    return id && this.entityIdOf(id) === entityId ? id : undefined;
  }

  /**
   * Parses `relayState`, the address to continue at after sign-in. Anyone can write it, so only paths and URLs of this
   * platform's own origin are accepted. Returns undefined for any other text.
   */
  relayTarget(relayState: string): URL | undefined {
    // browsers treat a backslash as a slash and drop control characters
    if (/[\\\p{Cc}\s]/u.test(relayState) || relayState.startsWith('//')) return undefined;
    if (!relayState.startsWith('/') && !relayState.startsWith(`${this.origin}/`) && relayState !== this.origin) return undefined;
    const url = URL.parse(relayState, this.origin);
    return url?.origin === this.origin && !url.username && !url.password ? url : undefined;
  }
}
