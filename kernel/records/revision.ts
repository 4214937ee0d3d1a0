import { Property } from '@mikro-orm/decorators/legacy';
import { Arg, Field, Int } from 'type-graphql';
import { StaleResource } from '../errors/errors.ts';

/** A record that several people edit at the same time. */
export interface Revised {
  revision: number;
}

const RISES =
  'Number that increases with each change. To detect changes by others, send it as `expectedRevision`; over REST, send the ETag as `If-Match` instead.';

/**
 * Declares the revision of a record, in a column `revision int not null default 1`. The ORM increases it with every
 * change of the record. With `byHand`, the ORM does not increase it: use this if some changes of the record do not
 * concern callers. `requireRevision` compares the revision with the revision that the caller has seen.
 */
export const Revision = ({ byHand = false, description = RISES } = {}): PropertyDecorator => {
  const onUpdate = ({ revision }: Revised): number => revision + 1;
  return (prototype: object, name: string | symbol) => {
    Field(() => Int, { description })(prototype, name);
    Property({ type: 'integer', default: 1, ...(!byHand && { onUpdate }) } as object)(prototype, name as string);
  };
};

/** Declares the argument of a mutation for the revision that the caller has seen. REST gets it from `If-Match`. */
export const ExpectedRevision = (): ReturnType<typeof Arg> =>
  Arg('expectedRevision', () => Int, {
    nullable: true,
    description:
      '`revision` of the record when the caller last read it. Fails with STALE_RESOURCE if the record has changed since then. Default: no check.',
  });

/**
 * Checks the revision of a locked record. If `expected` is missing, every revision is accepted.
 * @throws StaleResource if the revisions differ
 */
export function requireRevision({ revision }: Revised, expected: number | null | undefined): void {
  if (typeof expected === 'number' && expected !== revision) throw new StaleResource();
}
