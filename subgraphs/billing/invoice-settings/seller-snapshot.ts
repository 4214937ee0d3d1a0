import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvoiceSettings } from './invoice-settings.entity.ts';
import type { Seller } from './seller.ts';

/**
 * Returns the seller for invoices that are issued now. If the invoice settings have no legal name, the seller has the name of the
 * organization.
 */
export async function sellerOf(em: EntityManager, organizationId: string, organizationName: string): Promise<Seller> {
  const settings = await em.findOne(InvoiceSettings, { organizationId });
  const { legalName = null, address = [], taxId = null, footer = null } = settings ?? {};
  return { name: legalName ?? organizationName, address, taxId, footer };
}
