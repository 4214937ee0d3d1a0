import type { Plan } from './principal.ts';

/** The availability in percent that a plan promises (specification 8.5). */
export const AVAILABILITY_TARGETS: Readonly<Record<Plan, number>> = { developer: 99.9, business: 99.95, enterprise: 99.99, custom: 99.99 };
