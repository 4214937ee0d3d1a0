import { z } from 'zod';
import { setting, text, url } from './setting.ts';

/** Settings of the administrator, the API key and the OAuth client that the platform creates at its first start. */
export const bootstrapSettings = {
  bootstrapEmail: setting({
    name: 'BOOTSTRAP_EMAIL',
    about: 'E-mail address of the administrator that the first start creates.',
    schema: z.email('must be an e-mail address'),
    fallback: 'admin@example.com',
  }),
  bootstrapPassword: setting({
    name: 'BOOTSTRAP_PASSWORD',
    about: 'Password of the administrator that the first start creates, at least 12 characters.',
    schema: text.min(12, 'must have at least 12 characters'),
    otherwise: 'generated, shown once',
    secret: true,
  }),
  bootstrapApiKey: setting({
    name: 'BOOTSTRAP_API_KEY',
    about: 'API key that the first start creates: sk_live_ (test_sk_ in a sandbox) and 64 letters or digits.',
    schema: text.regex(/^(sk_live|test_sk)_[A-Za-z0-9]{64}$/, 'must be sk_live_ or test_sk_ and 64 letters or digits'),
    otherwise: 'generated, shown once',
    secret: true,
  }),
  bootstrapClientId: setting({
    name: 'BOOTSTRAP_CLIENT_ID',
    about: 'Id of the OAuth client that the first start creates: client_ and 4 to 60 letters or digits.',
    schema: text.regex(/^client_[A-Za-z0-9]{4,60}$/, 'must be client_ and 4 to 60 letters or digits'),
    otherwise: 'generated, shown once',
  }),
  bootstrapClientSecret: setting({
    name: 'BOOTSTRAP_CLIENT_SECRET',
    about: 'Secret of the OAuth client that the first start creates, at least 32 characters.',
    schema: text.regex(/^[\x21-\x7e]{32,200}$/, 'must have 32 to 200 characters, without spaces'),
    otherwise: 'generated, shown once',
    secret: true,
  }),
  bootstrapRedirectUri: setting({
    name: 'BOOTSTRAP_REDIRECT_URI',
    about: 'Redirect URI of the OAuth client that the first start creates.',
    schema: url(['https:', 'http:'], 'https://app.example.com/callback'),
    fallback: 'https://example.com/callback',
  }),
} as const;
