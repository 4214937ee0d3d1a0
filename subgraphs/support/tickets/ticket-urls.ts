/** Returns the path of a ticket's web page. */
export const ticketPath = (id: string): string => `/console/tickets/${id}`;

/** Returns the URLs of a ticket: `self` for programs, and `customerPortal` for people. */
export const ticketUrls = (origin: string, id: string): { self: string; customerPortal: string } => ({
  self: `${origin}/v1/support/tickets/${id}`,
  customerPortal: `${origin}${ticketPath(id)}`,
});
