import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { definedOnly, LOCKED } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { InvoiceSettings } from './invoice-settings.entity.ts';

export interface InvoiceSettingsServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
}

/** The settings that an update may change. */
type Changes = Partial<Pick<InvoiceSettings, 'legalName' | 'address' | 'taxId' | 'footer'>>;

const INSERT = `insert into "billing"."invoice_settings" ("organization_id", "address", "updated_at") values (?, '[]', ?)
  on conflict ("organization_id") do nothing`;

/** Manages the information about the seller on the invoices of the caller's organization. */
export class InvoiceSettingsService {
  constructor(private readonly deps: InvoiceSettingsServiceDeps) {}

  /** Returns the invoice settings, with default values if they were never changed. */
  async find(): Promise<InvoiceSettings> {
    const { em, request } = this.deps;
    const { organizationId } = request.principal;
    return (await em.findOne(InvoiceSettings, { organizationId })) ?? Object.assign(new InvoiceSettings(), { organizationId });
  }

  /**
   * Changes the invoice settings. Issued invoices do not change.
   * @throws StaleResource
   */
  update(changes: Changes, expectedRevision?: number | null): Promise<InvoiceSettings> {
    const { em, request, clock } = this.deps;
    const { organizationId } = request.principal;
    return em.transactional(
      async (tx) => {
        const now = clock.now();
        await tx.execute(INSERT, [organizationId, now]);
        const settings = await tx.findOneOrFail(InvoiceSettings, { organizationId }, LOCKED);
        requireRevision(settings, expectedRevision);
        return Object.assign(settings, definedOnly(changes), { updatedAt: now });
      },
      { clear: true },
    );
  }
}
