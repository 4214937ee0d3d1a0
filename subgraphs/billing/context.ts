import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Invoice } from './invoices/invoice.entity.ts';
import type { InvoiceRelations } from './invoices/invoice.loader.ts';
import type { InvoiceService } from './invoices/invoice.service.ts';

/** What the resolvers of one request work with. */
export interface BillingContext {
  principal: Principal;
  invoices: InvoiceService;
  loaders: { invoices: RecordLoader<Invoice>; relations: InvoiceRelations };
}
