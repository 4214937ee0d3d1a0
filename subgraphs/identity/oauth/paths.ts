/** Paths of the authorization server on its origin (specification 5.3). */
export const paths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  introspect: '/oauth/introspect',
  revoke: '/oauth/revoke',
  deviceAuthorization: '/oauth/device_authorization',
  /** Page where a user enters the code of a device. */
  device: '/oauth/device',
  interaction: '/oauth/interaction',
  logout: '/oauth/logout',
  jwks: '/.well-known/jwks.json',
  discovery: '/.well-known/oauth-authorization-server',
  /** Path of the same metadata as `discovery`. Some clients request only this path. */
  openidDiscovery: '/.well-known/openid-configuration',
} as const;
