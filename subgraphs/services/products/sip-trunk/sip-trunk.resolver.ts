import { Resolver } from 'type-graphql';
import { productResolver } from '../product.resolver.ts';
import { sipTrunk } from './sip-trunk.product.ts';
import { SipTrunk } from './sip-trunk.types.ts';

@Resolver(() => SipTrunk)
export class SipTrunkResolver extends productResolver<SipTrunk>(sipTrunk, { one: 'sipTrunk', many: 'sipTrunks', noun: 'SIP trunk' }) {}
