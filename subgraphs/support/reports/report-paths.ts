/** Returns the URL path of a report's file. */
export const reportFilePath = (id: string): string => `/v1/support/reports/${id}/file`;
