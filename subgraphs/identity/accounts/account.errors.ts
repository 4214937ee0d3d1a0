import { PlatformError } from '../../../kernel/errors/errors.ts';

/** What keeps an account from being closed or deleted. */
export interface Obligations {
  serviceIds: string[];
  invoiceIds: string[];
}

/** 409: what belongs to no customer belongs to it. */
export class OwnAccount extends PlatformError {
  constructor(id: string) {
    super('INVALID_STATE', "This is the organization's own account, which stays active as long as the organization.", { id });
  }
}

/** 409. `details` names the first of what is in the way. */
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
