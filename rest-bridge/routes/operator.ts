import { errorResponse } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import { area, del, get, type NonGraphRoute, post, put } from '../route.ts';

/**
 * Operations for the operator of the platform, in addition to the specification. The operator's systems, such as a CRM,
 * use them to create organizations and change plans.
 */
export const operator = area(
  'Operator',
  "All organizations of the platform. Only for users and keys of the operator's organization.",
  [
    get('listOrganizations', '/operator/organizations', 'organizations', {
      summary: 'List organizations',
      description:
        'Lists all organizations of the platform with plan and status, newest first. The records of the organizations are not included.',
      category: 'account',
      addition: true,
    }),
    post('createOrganization', '/operator/organizations', 'createOrganization', {
      summary: 'Create an organization',
      description:
        'Creates an organization and invites its first owner by e-mail. The e-mail has a link with which the owner sets a password.',
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
      description:
        'Changes the plan of an organization. The new plan takes effect everywhere within 5 seconds. Requests already made in the current hour and minute count against the new limits.',
      category: 'account',
      addition: true,
      example: { plan: 'enterprise' },
    }),
    post('suspendOrganization', '/operator/organizations/{organization_id}/suspend', 'suspendOrganization', {
      summary: 'Suspend an organization',
      description:
        'Suspends an organization. Within 5 seconds, all credentials of the organization are refused with 403 ORGANIZATION_SUSPENDED and its live connections are closed. Users who log in get this error only if the password is correct. Services keep running. Webhook deliveries wait until the organization is resumed. `reason` is stored in the audit records of that organization and of the organization of the operator.',
      category: 'account',
      status: 200,
      addition: true,
      example: { reason: 'Three invoices are unpaid' },
    }),
    post('closeOrganization', '/operator/organizations/{organization_id}/close', 'closeOrganization', {
      summary: 'Close an organization',
      errors: { INVALID_STATE: 'the organization has live services or open provisioning requests' },
      description:
        'Closes an organization. Within 5 seconds, all credentials of the organization are refused with 403 ORGANIZATION_CLOSED and its live connections are closed. Its records are deleted 30 days later (`delete_after`). While the organization has live services or open provisioning requests, it cannot be closed. The response is 409, and `details` lists the first of these services and requests. `reason` is stored in the audit records of that organization and of the organization of the operator.',
      category: 'account',
      status: 200,
      addition: true,
      example: { reason: 'The contract has ended' },
    }),
    post('resumeOrganization', '/operator/organizations/{organization_id}/resume', 'resumeOrganization', {
      summary: 'Resume an organization',
      description:
        'Ends the suspension of an organization. Waiting webhook deliveries are sent in order. This operation also reopens a closed organization, until its records are deleted.',
      category: 'account',
      status: 200,
      addition: true,
    }),
    post('exportOrganization', '/operator/organizations/{organization_id}/export', 'exportOrganization', {
      summary: 'Export an organization',
      description:
        'Starts the export of an organization: an archive of all its records and files, without secrets. It replaces the previous archive. While an archive is being written, the response is 409. The archive is deleted after 30 days, or earlier with the records of a closed organization.',
      category: 'account',
      addition: true,
    }),
    get('getOrganizationExport', '/operator/organizations/{organization_id}/export', 'organizationExport', {
      summary: 'Get the export of an organization',
      description:
        'Returns the progress of the latest export and, once it is ready, the address of its archive. If it failed, `error` contains the reason.',
      category: 'account',
      addition: true,
    }),
    del('withdrawSamlDomain', '/operator/organizations/{organization_id}/saml-domains/{domain}', 'withdrawSamlDomain', {
      summary: 'Delete an e-mail domain of an organization',
      description:
        'Removes the domain from the SAML connection of this organization. If users could log in through the domain, the owners of the organization are notified by e-mail. Does nothing if no SAML connection of the organization has the domain.',
      category: 'account',
      addition: true,
    }),
    post('clearOrganizationReview', '/operator/organizations/{organization_id}/clear-review', 'clearOrganizationReview', {
      summary: 'Clear the review of an organization',
      description:
        'Ends the review that starts when an organization exceeds the burst limit three times within 24 hours. Does nothing if there is no review.',
      category: 'account',
      status: 200,
      addition: true,
    }),
  ],
  'Operation of the platform',
);

/** The download of an archive. The identity domain serves it, because the response is bytes instead of JSON. */
export const operatorFiles: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/operator/organizations/{organization_id}/export/file',
    operation: {
      operationId: 'downloadOrganizationExport',
      summary: 'Download the export of an organization',
      description: [
        'Responds with a `.tar.gz` archive. It contains the records of each table as JSON Lines (`records/support/ticket/000001.jsonl`, …), the files that belong to them, and `manifest.json` with the number of records per table. Responds with 404 until the archive is ready. The download is recorded in the audit logs of this organization and of the operator organization. Users must verify a second factor.',
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
