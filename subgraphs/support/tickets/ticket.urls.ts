/** Where a ticket is read: by programs, and by people. */
export const ticketUrls = (origin: string, id: string): { self: string; customerPortal: string } => ({
  self: `${origin}/v1/support/tickets/${id}`,
  customerPortal: `${origin}/console/tickets/${id}`,
});
