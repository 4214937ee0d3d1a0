import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { AuditFilter, AuditSort } from './audit.inputs.ts';
import { AuditRecord } from './audit-record.entity.ts';

const AuditRecordPage = pageOf('AuditRecord', AuditRecord);

@Resolver(() => AuditRecord)
export class AuditResolver {
  @Query(() => AuditRecordPage, {
    description: 'List audit records, newest first: every authentication in the organization, and every change of credentials.',
  })
  @Requires('credentials:admin', { scope: 'organization' })
  auditRecords(
    @Arg('filter', () => AuditFilter, { nullable: true }) filter: AuditFilter | undefined,
    @Arg('sort', () => [AuditSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { audit }: IdentityContext,
  ): Promise<Page<AuditRecord>> {
    return audit.list(filter ?? {}, sort ?? [], page ?? {});
  }
}
