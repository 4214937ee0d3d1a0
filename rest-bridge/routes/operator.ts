import { errorResponse } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import { area, del, get, type NonGraphRoute, post, put } from '../route.ts';

/**
 * Additions, for the operator of the platform. An operator's back office (a CRM, a billing system) makes organizations and changes
 * their plans over the same REST API as everything else it does.
 */
export const operator = area(
  'Operator',
  "Organizations of the platform. For users and keys of the operator's organization.",
  [
    get('listOrganizations', '/operator/organizations', 'organizations', {
      summary: 'List organizations',
      description: 'All organizations of the platform, with plan and status, and none of their records.',
      category: 'account',
      addition: true,
    }),
    post('createOrganization', '/operator/organizations', 'createOrganization', {
      summary: 'Create an organization',
      description: 'Mails an invitation to its first owner, who chooses a password by its link.',
      category: 'account',
      addition: true,
      example: {
        name: 'Acme Corporation',
        plan: 'business',
        administrator: { name: 'Grace Hopper', email: 'grace@acme.example.com' },
      },
    }),
    get('getOperatedOrganization', '/operator/organizations/{organization_id}', 'organizationById', {
      summary: 'Get an organization',
      category: 'account',
      addition: true,
    }),
    put('changeOrganizationPlan', '/operator/organizations/{organization_id}/plan', 'changeOrganizationPlan', {
      summary: 'Change the plan of an organization',
      description: 'Counts everywhere within 5 seconds. What was counted in this hour and minute counts against the new limits.',
      category: 'account',
      addition: true,
      example: { plan: 'enterprise' },
    }),
    post('suspendOrganization', '/operator/organizations/{organization_id}/suspend', 'suspendOrganization', {
      summary: 'Suspend an organization',
      description:
        'Within 5 seconds all its credentials are refused with 403 ORGANIZATION_SUSPENDED and its sockets are closed; users learn it after the right password. Its services run on; deliveries to its webhooks wait. `reason` stands in the audit records of both organizations.',
      category: 'account',
      status: 200,
      addition: true,
      example: { reason: 'Three invoices are unpaid' },
    }),
    post('closeOrganization', '/operator/organizations/{organization_id}/close', 'closeOrganization', {
      summary: 'Close an organization',
      errors: { INVALID_STATE: 'the organization has live services or open provisioning requests' },
      description:
        'Within 5 seconds all its credentials are refused with 403 ORGANIZATION_CLOSED and its sockets are closed. Its records are deleted 30 days later (`delete_after`). 409 while services live or provisioning requests are open: `details` names the first of them. `reason` stands in the audit records of both organizations.',
      category: 'account',
      status: 200,
      addition: true,
      example: { reason: 'The contract has ended' },
    }),
    post('resumeOrganization', '/operator/organizations/{organization_id}/resume', 'resumeOrganization', {
      summary: 'Resume an organization',
      description: 'Ends its suspension: what waited goes on in order. Reopens a closed organization until its records are deleted.',
      category: 'account',
      status: 200,
      addition: true,
    }),
    post('exportOrganization', '/operator/organizations/{organization_id}/export', 'exportOrganization', {
      summary: 'Export an organization',
      description:
        'Begins an archive of all its records and files, without secrets, in place of the last one. 409 while one is being written. The archive is deleted after 30 days, and with the records of a closed organization at the latest.',
      category: 'account',
      addition: true,
    }),
    get('getOrganizationExport', '/operator/organizations/{organization_id}/export', 'organizationExport', {
      summary: 'Get the export of an organization',
      description: 'The newest one: how far it is and, once it is ready, where its archive is; `error` says why it failed.',
      category: 'account',
      addition: true,
    }),
    del('withdrawSamlDomain', '/operator/organizations/{organization_id}/saml-domains/{domain}', 'withdrawSamlDomain', {
      summary: 'Delete an e-mail domain of an organization',
      description:
        'Takes the domain from the SAML connection of the organization that claims it; its owners are mailed where it worked. Does nothing where it is not claimed. Responds with the organization.',
      category: 'account',
      addition: true,
    }),
    post('clearOrganizationReview', '/operator/organizations/{organization_id}/clear-review', 'clearOrganizationReview', {
      summary: 'Clear the review of an organization',
      description:
        'Ends the review that exceeding the burst limit three times within 24 hours has begun. Does nothing where there is none.',
      category: 'account',
      status: 200,
      addition: true,
    }),
  ],
  'Operation of the platform',
);

/** The download of an archive: bare bytes, which the identity domain serves itself. */
export const operatorFiles: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/operator/organizations/{organization_id}/export/file',
    operation: {
      operationId: 'downloadOrganizationExport',
      summary: 'Download the export of an organization',
      description: [
        'A `.tar.gz` with the records of each table as JSON Lines (`records/support/ticket/000001.jsonl`, …), the files that belong to them, and `manifest.json` with the number of records of each table. 404 until it is ready. Audited in both organizations. Users show a second factor.',
        'Permission: `platform:admin`.',
      ].join('\n\n'),
      tags: ['Operator'],
      parameters: [{ name: 'organization_id', in: 'path', required: true, schema: { type: 'string' } }, ref('parameters', 'ApiVersion')],
      responses: {
        200: { description: 'The archive.', content: { 'application/gzip': { schema: { type: 'string', contentEncoding: 'binary' } } } },
        ...Object.fromEntries([400, 401, 403, 404, 429, 500].map((status) => [status, errorResponse(status)])),
      },
      'x-permission': 'platform:admin',
      'x-addition': true,
    },
  },
];
