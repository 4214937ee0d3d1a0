/** Returns the URL path of an attachment's content. */
export const attachmentPath = (id: string): string => `/v1/attachments/${id}`;
