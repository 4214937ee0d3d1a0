import { z } from 'zod';
import { ServiceType } from '../../inventory/service.states.ts';
import { defineProduct } from '../product.ts';
import { SipCodec, SipTrunk } from './sip-trunk.types.ts';

const CHANNELS = { minimum: 1, maximum: 1000 };
const RANGE = `must be ${CHANNELS.minimum} to ${CHANNELS.maximum}`;

const configuration = z.strictObject({
  /** Maximum number of simultaneous calls. */
  channels: z.int('must be a whole number').min(CHANNELS.minimum, RANGE).max(CHANNELS.maximum, RANGE),
  codec: z.enum(SipCodec).optional(),
});
export type SipTrunkConfiguration = z.infer<typeof configuration>;

/** Call channels to the telephone network, for a phone system that the customer operates. Each channel is billed. */
export const sipTrunk = defineProduct<SipTrunkConfiguration>({
  type: ServiceType.SIP_TRUNK,
  detail: SipTrunk,
  hasLocation: false,
  configuration,
  requiredSettings: { channels: 'The number of calls at the same time.' },
  size: { setting: 'channels', ...CHANNELS },
  quantityOf: ({ channels }) => channels,
  spec: ({ sla, configuration: { channels, codec } }) => ({
    characteristics: { channels, ...(sla && { serviceLevel: sla }), ...(codec && { codec }) },
    places: [],
  }),
});
