import { registerEnumType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';

/** OAuth grant types that a client may use (specification 5.3). */
export enum OAuthGrantType {
  AUTHORIZATION_CODE = 'authorization_code',
  REFRESH_TOKEN = 'refresh_token',
  CLIENT_CREDENTIALS = 'client_credentials',
  DEVICE_CODE = 'device_code',
}
registerEnumType(OAuthGrantType, {
  name: 'OAuthGrantType',
  description: 'Grant type: how an OAuth client gets tokens.',
  valuesConfig: {
    AUTHORIZATION_CODE: { description: 'A user signs in and consents (RFC 6749, section 4.1).' },
    REFRESH_TOKEN: { description: 'A refresh token is exchanged for new tokens.' },
    CLIENT_CREDENTIALS: { description: 'The client acts for itself (RFC 6749, section 4.4).' },
    DEVICE_CODE: { description: 'A user consents on another device (RFC 8628).' },
  },
});

export const DEFAULT_GRANT_TYPES: readonly OAuthGrantType[] = [OAuthGrantType.AUTHORIZATION_CODE, OAuthGrantType.REFRESH_TOKEN];

interface Granting {
  grantTypes?: readonly (OAuthGrantType | null)[] | null;
  redirectUris?: readonly unknown[] | null;
  isConfidential?: boolean | null;
}

/** Checks that a client has all settings that its grant types require. Returns one problem for each requirement that is not met. */
export function grantTypeProblems({ grantTypes, redirectUris, isConfidential }: Granting): FieldProblem[] {
  const has = (type: OAuthGrantType): boolean => (grantTypes ?? DEFAULT_GRANT_TYPES).includes(type);
  const problems: FieldProblem[] = [];
  if (has(OAuthGrantType.AUTHORIZATION_CODE) && !redirectUris?.length)
    problems.push({ field: 'redirectUris', reason: 'must have at least one address for authorization_code' });
  if (has(OAuthGrantType.CLIENT_CREDENTIALS) && isConfidential === false)
    problems.push({ field: 'grantTypes', reason: 'client_credentials requires a confidential client' });
  if (has(OAuthGrantType.REFRESH_TOKEN) && !has(OAuthGrantType.AUTHORIZATION_CODE) && !has(OAuthGrantType.DEVICE_CODE))
    problems.push({ field: 'grantTypes', reason: 'refresh_token requires authorization_code or device_code' });
  return problems;
}
