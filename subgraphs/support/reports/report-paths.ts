/** Where the file of a report is. */
export const reportFilePath = (id: string): string => `/v1/support/reports/${id}/file`;
