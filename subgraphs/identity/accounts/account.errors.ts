import { PlatformError } from '../../../kernel/errors/errors.ts';

/** Services and invoices that prevent an account from being closed or deleted. */
export interface Obligations {
  serviceIds: string[];
  invoiceIds: string[];
}

/**
 * 409: the organization's own account cannot change its status or be deleted. All records without a customer belong to
 * this account.
 */
export class OwnAccount extends PlatformError {
  constructor(id: string) {
    super('INVALID_STATE', "This is the organization's own account. It stays active as long as the organization exists.", { id });
  }
}

/** 409: the account is still in use. `details` contains the first ids of its live services and open invoices. */
export class AccountInUse extends PlatformError {
  constructor({ serviceIds, invoiceIds }: Obligations) {
    super(
      'INVALID_STATE',
      'The account has live services or open invoices. Decommission the services and settle or cancel the invoices first.',
      {
        service_ids: serviceIds,
        invoice_ids: invoiceIds,
      },
    );
  }
}

/** 409: the account is invoiced for an organization that is not closed. */
export class AccountOfOrganization extends PlatformError {
  constructor(id: string, organizationId: string) {
    super('INVALID_STATE', `The account is invoiced for the organization ${organizationId}. Close the organization first.`, {
      id,
      organization_id: organizationId,
    });
  }
}
