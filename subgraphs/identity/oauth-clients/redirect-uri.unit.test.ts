import { expect, test } from 'vitest';
import { isRedirectUri } from './redirect-uri.ts';

test.each([
  'https://app.example.com/callback',
  'https://app.example.com/?a=b',
  'http://127.0.0.1:8080/cb',
  'http://localhost/cb',
  'http://[::1]:3000/',
])('the redirect URI %s is valid', (uri) => expect(isRedirectUri(uri)).toBe(true));

test.each([
  'http://app.example.com/callback',
  'https://app.example.com/callback#part',
  'https://*.example.com/callback',
  'https://user:secret@example.com/',
  'http://127.0.0.1.example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'myapp:/callback',
  '/callback',
  'https://',
  `https://example.com/${'a'.repeat(2000)}`,
  42,
])('the redirect URI %s is invalid', (uri) => expect(isRedirectUri(uri)).toBe(false));
