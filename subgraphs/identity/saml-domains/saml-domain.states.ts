import { registerEnumType } from 'type-graphql';

export enum SamlDomainStatus {
  /** A connection claims the domain without proof. Any organization can claim any domain. */
  CLAIMED = 'claimed',
  /** The DNS of the domain contains the TXT record of the organization. */
  PROVEN = 'proven',
}
registerEnumType(SamlDomainStatus, {
  name: 'SamlDomainStatus',
  description: 'Whether the ownership of an e-mail domain is proven.',
  valuesConfig: { CLAIMED: { description: 'Not proven. Nobody can sign in with it.' }, PROVEN: { description: 'Proven by a TXT record.' } },
});
