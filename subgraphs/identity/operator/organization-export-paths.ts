/** Where the archive of an organization is. */
export const exportFilePath = (organizationId: string): string => `/v1/operator/organizations/${organizationId}/export/file`;
