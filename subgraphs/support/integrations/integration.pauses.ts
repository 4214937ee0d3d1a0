const PAUSE_MAX_MS = 3_600_000;
const FACTOR = 3;

/** How long to wait after so many failures in a row, in milliseconds: three times as long each time, an hour at most. */
export const pauseAfter = (failures: number, firstMs: number): number => Math.min(PAUSE_MAX_MS, firstMs * FACTOR ** (failures - 1));
