/** Path of a ticket's web page. */
export const ticketPath = (id: string): string => `/console/tickets/${id}`;

/** Addresses of a ticket: for programs (`self`) and for people (`customerPortal`). */
export const ticketUrls = (origin: string, id: string): { self: string; customerPortal: string } => ({
  self: `${origin}/v1/support/tickets/${id}`,
  customerPortal: `${origin}${ticketPath(id)}`,
});
