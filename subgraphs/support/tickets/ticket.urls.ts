/** The page of a ticket, for people. */
export const ticketPath = (id: string): string => `/console/tickets/${id}`;

/** Where a ticket is read: by programs, and by people. */
export const ticketUrls = (origin: string, id: string): { self: string; customerPortal: string } => ({
  self: `${origin}/v1/support/tickets/${id}`,
  customerPortal: `${origin}${ticketPath(id)}`,
});
