/** Path to download an organization's archive. */
export const exportFilePath = (organizationId: string): string => `/v1/operator/organizations/${organizationId}/export/file`;
