import { registerEnumType } from 'type-graphql';

export enum SamlDomainStatus {
  /** Named by a connection, and nothing more: any organization can name any domain. */
  CLAIMED = 'claimed',
  /** Its DNS holds the record of the organization. */
  PROVEN = 'proven',
}
registerEnumType(SamlDomainStatus, { name: 'SamlDomainStatus' });
