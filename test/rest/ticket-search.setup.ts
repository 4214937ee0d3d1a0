import type { Answer, Json, Tenant } from '../tenant.ts';

export const searchTickets = (tenant: Tenant, body: object): Promise<Answer> => tenant.rest('POST', '/support/tickets/search', { body });
export const idsOf = ({ body }: Answer): string[] => body.tickets.map(({ id }: Json) => id);
