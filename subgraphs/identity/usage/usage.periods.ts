/** Months are UTC's, for every organization alike. */
export const monthOf = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
export const monthAfter = (start: Date): Date => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));

export const HOUR_MS = 3_600_000;
export const hourOf = (at: Date): Date => new Date(at.getTime() - (at.getTime() % HOUR_MS));
