import { del, get, post, type Route } from '../route.ts';

const EXAMPLE = {
  name: 'Billing export',
  certificate: `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIEEAAAATAKBggqhkjOPQQDAjA0MRkwFwYDVQQKExBBY21l
IENvcnBvcmF0aW9uMRcwFQYDVQQDEw5iaWxsaW5nLWV4cG9ydDAgFw0yNjA4MTMx
MTAyMjhaGA8yMDc2MDMwMzExMDIyOFowNDEZMBcGA1UEChMQQWNtZSBDb3Jwb3Jh
dGlvbjEXMBUGA1UEAxMOYmlsbGluZy1leHBvcnQwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATnNYbqUTuy5iwXjM5tsJgjlKfqROSmWfRlw92wYQT8belRt3wbHXdO
buBHurjtfowiIlARQ4hfclxiLlLH9EgToyUwIzAMBgNVHRMBAf8EAjAAMBMGA1Ud
JQQMMAoGCCsGAQUFBwMCMAoGCCqGSM49BAMCA0gAMEUCIGQ8zArrQ4Tr4C/Z9dat
E5sVZYtloVGLTwSi114bpgkJAiEAyFv/vdIku2ZThJm48xYe7eM9vBCyLyNXXAm2
pT759sM=
-----END CERTIFICATE-----
`,
  permissions: ['billing:read'],
};

/** REST routes of client certificates (specification 2.4, 4.1, 5.5). */
export const certificates: readonly Route[] = [
  get('listCertificates', '/auth/certificates', 'certificates', { summary: 'List client certificates', addition: true }),
  post('registerCertificate', '/auth/certificates', 'registerCertificate', {
    summary: 'Register a client certificate',
    errors: { DUPLICATE_RESOURCE: 'the certificate is already registered' },
    description: `Registers a client certificate. Clients that use this certificate for mutual TLS get the permissions in \`permissions\`. The caller must have all of these permissions.
You can register a certificate that is not valid yet; \`validity\` shows this. To create a suitable certificate and its key:

    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj /CN=billing-export \\
      -addext basicConstraints=critical,CA:FALSE -addext extendedKeyUsage=clientAuth -keyout client.key -out client.pem`,
    example: EXAMPLE,
  }),
  get('getCertificate', '/auth/certificates/{certificate_id}', 'certificate', { summary: 'Get a client certificate', addition: true }),
  del('revokeCertificate', '/auth/certificates/{certificate_id}', 'revokeCertificate', {
    summary: 'Revoke a client certificate',
    description:
      'Revokes a client certificate. The certificate is no longer accepted. It stays in the list and cannot be registered again.',
    addition: true,
  }),
];
