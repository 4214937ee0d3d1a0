/** Addresses of the service provider that identity providers use (specification 5.6). */
export class SamlAddresses {
  /** @param origin origin of the SAML endpoints, `{service_origin}` in the specification */
  constructor(readonly origin: string) {}

  get acsUrl(): string {
    return `${this.origin}/saml/acs`;
  }

  /**
   * Returns the entity id of a connection. Each connection has its own, so that a response for one connection is not
   * accepted for another.
   */
  entityIdOf(connectionId: string | undefined): string {
    return `${this.origin}/saml/metadata${connectionId ? `?connection=${connectionId}` : ''}`;
  }

  signInUrlOf(connectionId: string): string {
    return `${this.origin}/saml/sso?connection=${connectionId}`;
  }

  /** Returns the id of the connection in one of our entity ids; undefined for any other text. */
  connectionIn(entityId: string): string | undefined {
    const id = /\?connection=(saml_\w{1,64})$/.exec(entityId)?.[1];
    return id && this.entityIdOf(id) === entityId ? id : undefined;
  }

  /**
   * Parses RelayState, the address to continue at after sign-in. Since anyone can write it, only paths and URLs of our
   * own origin are accepted. Returns undefined for any other text.
   */
  relayTarget(relayState: string): URL | undefined {
    // browsers treat a backslash as a slash and drop control characters
    if (/[\\\p{Cc}\s]/u.test(relayState) || relayState.startsWith('//')) return undefined;
    if (!relayState.startsWith('/') && !relayState.startsWith(`${this.origin}/`) && relayState !== this.origin) return undefined;
    const url = URL.parse(relayState, this.origin);
    return url?.origin === this.origin && !url.username && !url.password ? url : undefined;
  }
}
