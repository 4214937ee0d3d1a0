import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { formatBandwidth, mbpsOf } from '../coverage/bandwidth.ts';
import type { ServicePatch } from '../inventory/service-terms.ts';
import { products } from '../products/registry.ts';
import type { ChangeableService } from './change-application.ts';
import type { Agreement } from './change-plan.ts';
import { ScalingAction, type ScalingInput } from './service-update.inputs.ts';

/**
 * Fields of a service that contain its size, such as `bandwidth`, each with the field of `ScalingInput` that sets it.
 */
export const SIZE_FIELDS = Object.fromEntries([
  ['bandwidth', 'newBandwidth'],
  ...products.flatMap(({ size }) => (size ? [[`configuration.${size.setting}`, 'newSize']] : [])),
]);

/**
 * Returns the patch that sets the new bandwidth or number of units of a service.
 * @throws InvalidParameters if the new size is not larger (scaling up) or smaller (scaling down) than the present size, or if the service
 * is not sold by this kind of size
 */
export function sizePatch(
  { product }: ChangeableService,
  { bandwidthMbps, configuration }: Agreement['terms'],
  input: ScalingInput,
): ServicePatch {
  const { scalingAction, newBandwidth, newSize } = input;
  const setting = product.size?.setting;
  const isUp = scalingAction === ScalingAction.SCALE_UP;
  const refused = (field: string, value: unknown, reason: string) => new InvalidParameters([{ field, value, reason }]);
  if (newBandwidth !== undefined) {
    if (bandwidthMbps === null) throw refused('newBandwidth', newBandwidth, 'is not a size of this service');
    const mbps = mbpsOf(newBandwidth);
    if (isUp ? mbps <= bandwidthMbps : mbps >= bandwidthMbps)
      throw refused('newBandwidth', newBandwidth, `must be ${isUp ? 'more' : 'less'} than ${formatBandwidth(bandwidthMbps)}`);
    return { bandwidthMbps: mbps };
  }
  if (!setting || newSize === undefined) throw refused('newSize', newSize, 'is not a size of this service');
  const present = configuration[setting] as number;
  if (isUp ? newSize <= present : newSize >= present)
    throw refused('newSize', newSize, `must be ${isUp ? 'more' : 'less'} than ${present}`);
  return { configuration: { [setting]: newSize } };
}
