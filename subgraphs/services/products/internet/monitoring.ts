/** Values of the setting `monitoring`. `true` means `standard`, and `false` means no monitoring. */
export const MONITORING = [true, false, 'standard', 'advanced'] as const;
export type Monitoring = (typeof MONITORING)[number];

/** Returns the level of monitoring that is ordered from the provider. Null if monitoring is off. */
export function monitoringLevel(monitoring: Monitoring | undefined): 'standard' | 'advanced' | null {
  if (!monitoring) return null;
  return monitoring === true ? 'standard' : monitoring;
}
