import { registerEnumType } from 'type-graphql';

/** How a client may get tokens (specification 5.3). */
export enum OAuthGrantType {
  AUTHORIZATION_CODE = 'authorization_code',
  REFRESH_TOKEN = 'refresh_token',
  CLIENT_CREDENTIALS = 'client_credentials',
  DEVICE_CODE = 'device_code',
}
registerEnumType(OAuthGrantType, { name: 'OAuthGrantType', description: 'How an OAuth client may get tokens.' });
