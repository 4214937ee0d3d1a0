import { Allow, ArrayMaxSize, ArrayMinSize } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import { Name } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { IdentityContext } from '../context.ts';
import { ACCOUNTS_OF_CREDENTIALS, AreAccounts } from '../granting/account-list.ts';
import { AreGrants, GRANTS_MAX } from '../granting/grants.ts';
import { CERTIFICATE_LENGTH_MAX } from './certificate-pem.ts';

@InputType({ description: 'Client certificate to register.' })
@Rule<CertificateRegisterInput, IdentityContext>(({ certificate }, { certificates }) =>
  certificate === undefined ? [] : certificates.faultsOf(certificate).map((reason) => ({ field: 'certificate', reason })),
)
export class CertificateRegisterInput {
  /**
   * Certificate in PEM format. It is checked in certificate-pem.ts and certificate.rules.ts. Error messages never contain it, because the
   * caller may have sent a private key by mistake.
   */
  @Field(() => String, { description: 'One X.509 certificate as PEM, without private key and chain.' })
  @Allow(jsonSchema({ format: 'pem', minLength: 1, maxLength: CERTIFICATE_LENGTH_MAX }))
  certificate!: string;

  @Field(() => String, { description: 'Name shown in lists, 1 to 100 characters.' })
  @Name(100)
  name!: string;

  @Field(() => [String], {
    description: `Permissions as \`<area>:<action>\`, \`<area>:*\` or \`*:*\`. The caller must have each permission. At most ${GRANTS_MAX}.`,
  })
  @ArrayMinSize(1, { message: 'must have at least one permission' })
  @ArrayMaxSize(GRANTS_MAX, { message: `must have at most ${GRANTS_MAX} permissions` })
  @AreGrants()
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_CREDENTIALS })
  @AreAccounts()
  accounts?: string[] | null;
}

export enum CertificateSortField {
  CREATED_AT = 'createdAt',
  NAME = 'name',
  NOT_AFTER = 'notAfter',
  LAST_USED = 'lastUsed',
  USAGE_COUNT = 'usageCount',
}
export const CertificateSort = sortOf('Certificate', CertificateSortField, { NOT_AFTER: 'End of the validity.' });
