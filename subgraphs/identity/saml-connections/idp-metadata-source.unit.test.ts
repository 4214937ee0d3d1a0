import { describe, expect, test } from 'vitest';
import { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { IdpMetadataSource } from './idp-metadata-source.ts';

describe('SAML metadata in production', () => {
  const source = new IdpMetadataSource(new UrlGuard({ allowPrivate: false }), false);

  test.each([
    ['http://idp.example.com/metadata'],
    ['https://127.0.0.1/metadata'],
    ['https://2130706433/metadata'],
    ['https://[::1]/metadata'],
    ['https://[::ffff:169.254.169.254]/latest/meta-data'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://10.0.0.1/metadata'],
    ['https://localhost/metadata'],
    ['https://user:password@idp.example.com/metadata'],
    ['file:///etc/passwd'],
  ])('SAML metadata is not fetched from %s', async (metadataUrl) => {
    await expect(source.resolve({ metadataUrl })).rejects.toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'metadataUrl' } });
  });

  test.each([['http://127.0.0.1:8080/sso'], ['http://localhost/sso']])('the SAML sign-in URL %s is refused', (ssoUrl) => {
    expect(source.problemsOf({ ssoUrl })).toMatchObject([{ field: 'ssoUrl' }]);
  });
});

test('in development, the sign-in URL of an identity provider may use http only with a local address', () => {
  const source = new IdpMetadataSource(new UrlGuard({ allowPrivate: true }), true);
  const ssoUrl = 'http://127.0.0.1:8080/sso';
  expect(source.problemsOf({ ssoUrl })).toEqual([]);
  expect(source.problemsOf({ ssoUrl: 'http://idp.example.com/sso' })).toMatchObject([{ field: 'ssoUrl' }]);
});
