import { BigIntType } from '@mikro-orm/core';
import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { ArchivePosition } from '../../../kernel/records/organization-archive.ts';

export enum OrganizationExportStatus {
  WRITING = 'writing',
  READY = 'ready',
  FAILED = 'failed',
}
registerEnumType(OrganizationExportStatus, {
  name: 'OrganizationExportStatus',
  valuesConfig: {
    WRITING: { description: 'In progress. `records` and `bytes` count the finished part.' },
    READY: { description: 'The archive can be downloaded.' },
    FAILED: { description: 'Failed. `error` contains the reason. Start the export again.' },
  },
  description: 'Progress of an export.',
});

/**
 * An archive of all records of an organization, which the operator of the platform can hand over. The entity has no
 * organization filter, because only the operator has access to archives.
 */
@ObjectType({
  description:
    'An archive of the records and files of an organization, without secrets. It is a .tar.gz file with JSON Lines files for each table.',
})
@Entity({ tableName: 'organization_export' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class OrganizationExport {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Field(() => ID, { description: 'Organization that was exported (`org_…`).' })
  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => OrganizationExportStatus, { description: 'Progress of the export.' })
  @Enum({ items: () => OrganizationExportStatus, type: 'text' })
  status: OrganizationExportStatus = OrganizationExportStatus.WRITING;

  /** Number of records that were written, by table. */
  @Property({ type: 'json' })
  counts: Record<string, number> = {};

  @Field(() => Float, { description: 'Size of the archive so far, in bytes.' })
  @Property({ type: new BigIntType('number') })
  bytes = 0;

  /** Number of files in the file store that make up the archive so far. */
  @Property({ type: 'integer' })
  parts = 0;

  /** Number of attempts to write the next part. */
  @Property({ type: 'integer' })
  attempts = 0;

  @Field(() => String, { nullable: true, description: 'Reason of the failure. Null if there was no failure.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  /** Position at which the next part begins. Null before the first part and when the archive is ready. */
  @Property({ type: 'json', nullable: true })
  position: ArchivePosition | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { description: 'When the last part of the archive was written.' })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the archive was ready. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  completedAt: Date | null = null;

  @Field(() => Date, {
    description: 'When the archive is deleted: 30 days after the request, or with the records of the organization if that is earlier.',
  })
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  fail(reason: string): void {
    Object.assign(this, { status: OrganizationExportStatus.FAILED, error: reason });
  }

  @Field(() => Int, { description: 'Number of records written so far.' })
  get records(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}

/** Returns the key of a part in the file store. */
export const partKeyOf = ({ id, organizationId }: Pick<OrganizationExport, 'id' | 'organizationId'>, number: number): string =>
  `exports/${organizationId}/${id}/${number}.tar.gz`;

/** Returns the keys of all recorded parts and of the next part, which a process may have written before it died. */
export const partKeysOf = (one: Pick<OrganizationExport, 'id' | 'organizationId' | 'parts'>): string[] =>
  Array.from({ length: one.parts + 1 }, (_, index) => partKeyOf(one, index + 1));
