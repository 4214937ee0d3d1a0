/** Where the service provider is, as identity providers know it (specification 5.6). */
export class SamlAddresses {
  /** @param origin the `{service_origin}` of the specification */
  constructor(readonly origin: string) {}

  get acsUrl(): string {
    return `${this.origin}/saml/acs`;
  }

  /** Each connection is a service provider of its own: what is meant for one is not accepted for another. */
  entityIdOf(connectionId: string | undefined): string {
    return `${this.origin}/saml/metadata${connectionId ? `?connection=${connectionId}` : ''}`;
  }

  signInUrlOf(connectionId: string): string {
    return `${this.origin}/saml/sso?connection=${connectionId}`;
  }

  /** The connection that an entity id of ours names; undefined for what is none. */
  connectionIn(entityId: string): string | undefined {
    const id = /\?connection=(saml_\w{1,64})$/.exec(entityId)?.[1];
    return id && this.entityIdOf(id) === entityId ? id : undefined;
  }

  /**
   * Where a browser goes on after its sign-in: RelayState, which anyone can write.
   * Answers undefined for anything but a path or URL of the own origin.
   */
  relayTarget(relayState: string): URL | undefined {
    // browsers take a backslash for a slash and drop control characters
    if (/[\\\p{Cc}\s]/u.test(relayState) || relayState.startsWith('//')) return undefined;
    if (!relayState.startsWith('/') && !relayState.startsWith(`${this.origin}/`) && relayState !== this.origin) return undefined;
    const url = URL.parse(relayState, this.origin);
    return url?.origin === this.origin && !url.username && !url.password ? url : undefined;
  }
}
