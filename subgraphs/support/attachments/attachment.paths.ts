/** Where the bytes of an attachment are. */
export const attachmentPath = (id: string): string => `/v1/attachments/${id}`;
