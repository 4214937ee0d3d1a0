import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { AuditFilter } from './audit.inputs.ts';
import { AuditRecord } from './audit-record.entity.ts';

const NEWEST_FIRST: readonly SortBy[] = [{ field: 'timestamp', order: SortOrder.DESC }];

/** Reads audit records of the caller's organization (specification 5.9). */
export class AuditService {
  constructor(private readonly em: EntityManager) {}

  list(filter: AuditFilter, sort: SortBy[], page: PageInput): Promise<Page<AuditRecord>> {
    return listPage(this.em, AuditRecord, { where: whereOf(filter), sort, page, defaultSort: NEWEST_FIRST });
  }
}

const whereOf = ({ from, to, ...lists }: AuditFilter): FilterQuery<AuditRecord> =>
  matching<AuditRecord>({ ...lists, timestamp: between(from, to) });
