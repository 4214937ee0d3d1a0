import { generateApiKey } from '../subgraphs/identity/api-keys/api-key-secret.ts';
import { firstKey } from '../subgraphs/identity/create-organization.ts';
import { Organization } from '../subgraphs/identity/organizations/organization.entity.ts';
import { rig } from './rig.ts';
import { Tenant } from './tenant.ts';

/**
 * Returns the operator organization with a new, unrestricted API key. If no organization is the operator yet, the
 * oldest organization becomes the operator.
 */
export async function operator(): Promise<Tenant> {
  const { assembly, origin, clock } = await rig();
  const { orm, sandbox } = assembly.domains.identity.core.ports;
  const apiKey = generateApiKey(sandbox);
  const organization = await orm.em.fork().transactional(async (tx) => {
    const oldest = { orderBy: { createdAt: 'asc' } } as const;
    const found =
      (await tx.findOne(Organization, { operator: true })) ?? (await tx.findOneOrFail(Organization, { id: { $ne: '' } }, oldest));
    found.operator = true;
    tx.persist(firstKey(found, apiKey, clock.now()));
    return found;
  });
  return new Tenant(origin, organization.id, apiKey);
}
