import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, refuse } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { advisoryLock, definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { findCustomers } from '../customers/customer.ts';
import type { TaxExemptionInput, TaxRateInput, TaxRateUpdateInput } from './tax.inputs.ts';
import { TaxExemption } from './tax-exemption.entity.ts';
import { TaxRate } from './tax-rate.entity.ts';
import { regionOf } from './tax-terms.ts';

/** Maximum number of tax rates of an organization. The number is limited, because each new invoice reads the rates of its country. */
export const MAX_RATES = 1_000;

export interface TaxServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
}

/** Manages the tax rates of the organization, and which of its accounts are exempt. Issued invoices never change. */
export class TaxService {
  constructor(private readonly deps: TaxServiceDeps) {}

  list(page: PageInput): Promise<Page<TaxRate>> {
    return listPage(this.deps.em, TaxRate, { where: {}, sort: [], page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Creates a tax rate.
   * @throws InvalidParameters if the organization has too many tax rates
   */
  create({ region, category, validTo, ...input }: TaxRateInput): Promise<TaxRate> {
    const { em, clock, request } = this.deps;
    const { organizationId } = request.principal;
    const now = clock.now();
    return em.transactional(async (tx) => {
      await advisoryLock(tx, `billing.tax-rates:${organizationId}`);
      if ((await tx.count(TaxRate, {})) >= MAX_RATES)
        throw new InvalidParameters([{ field: 'input', reason: `the organization already has ${MAX_RATES} tax rates` }]);
      const rate = Object.assign(new TaxRate(), input, { id: newId('taxRate'), organizationId, createdAt: now, updatedAt: now });
      Object.assign(rate, { region: regionOf(region), category: category ?? null, validTo: validTo ?? null });
      tx.persist(rate);
      return rate;
    });
  }

  /**
   * Changes the name or the end of a tax rate.
   * @throws ResourceNotFound, InvalidParameters
   */
  update(id: string, input: TaxRateUpdateInput): Promise<TaxRate> {
    const { em, clock } = this.deps;
    return em.transactional(
      async (tx) => {
        const rate = orNotFound(await tx.findOne(TaxRate, { id }, LOCKED), 'tax_rate', id);
        const { validTo } = input;
        refuse(
          validTo && validTo < rate.validFrom ? [{ field: 'validTo', value: validTo, reason: `must not be before ${rate.validFrom}` }] : [],
        );
        return Object.assign(rate, definedOnly(input), { updatedAt: clock.now() });
      },
      { clear: true },
    );
  }

  /**
   * Sets the exemption of an account, or removes it if `input` is null. The change applies to invoices that are issued
   * later.
   * @throws ResourceNotFound
   */
  async setExemption(accountId: string, input: TaxExemptionInput | null): Promise<TaxExemption | null> {
    const { em, clock, graph, request } = this.deps;
    orNotFound((await findCustomers(graph, request, [accountId])).get(accountId), 'account', accountId);
    const { organizationId } = request.principal;
    if (!input) {
      await em.nativeDelete(TaxExemption, { accountId });
      return null;
    }
    const values = { organizationId, accountId, reason: input.reason, taxId: input.taxId ?? null, updatedAt: clock.now() };
    return em.transactional((tx) => tx.upsert(TaxExemption, values), { clear: true });
  }
}
