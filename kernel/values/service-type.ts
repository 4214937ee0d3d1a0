import { registerEnumType } from 'type-graphql';

/** Kinds of services. Several domains select services by kind. */
export enum ServiceType {
  INTERNET = 'internet',
  NETWORK = 'network',
  SIP_TRUNK = 'sip_trunk',
}
registerEnumType(ServiceType, {
  name: 'ServiceType',
  description: 'Kind of service.',
  valuesConfig: {
    INTERNET: { description: 'Internet access at a street address.' },
    NETWORK: { description: 'A private network between sites.' },
    SIP_TRUNK: { description: 'Channels to the telephone network.' },
  },
});
