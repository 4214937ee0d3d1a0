import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ProductRecord } from '../product-record.ts';
import type { SipTrunkConfiguration } from './sip-trunk.product.ts';

export enum SipCodec {
  G711 = 'g711',
  G729 = 'g729',
}
registerEnumType(SipCodec, {
  name: 'SipCodec',
  description: 'Coding of the voice in calls.',
  valuesConfig: { G711: { description: 'Uncompressed, 64 kbit/s.' }, G729: { description: 'Compressed, 8 kbit/s.' } },
});

@ObjectType({ implements: ProductRecord, description: 'Channels to the telephone network, for a phone system of your own.' })
export class SipTrunk extends ProductRecord {
  @Field(() => Int, { description: 'Number of calls at the same time. Each channel is billed.' })
  get channels(): number {
    return this.#settings.channels;
  }

  @Field(() => SipCodec, { nullable: true, description: 'Coding of the voice. Null if the provider chooses.' })
  get codec(): SipCodec | null {
    return this.#settings.codec ?? null;
  }

  get #settings(): SipTrunkConfiguration {
    return this.service.configuration as SipTrunkConfiguration;
  }
}
