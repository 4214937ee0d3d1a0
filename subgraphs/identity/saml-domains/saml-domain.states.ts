import { registerEnumType } from 'type-graphql';

export enum SamlDomainStatus {
  /** A connection names the domain, without proof: any organization can name any domain. */
  CLAIMED = 'claimed',
  /** Its DNS holds the record of the organization. */
  PROVEN = 'proven',
}
registerEnumType(SamlDomainStatus, {
  name: 'SamlDomainStatus',
  description: 'Whether an e-mail domain is proven.',
  valuesConfig: { CLAIMED: { description: 'Not proven. Nobody can sign in with it.' }, PROVEN: { description: 'Proven by a TXT record.' } },
});
