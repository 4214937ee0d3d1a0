import { Property } from '@mikro-orm/decorators/legacy';
import { Arg, Field, Int } from 'type-graphql';
import { StaleResource } from '../errors/errors.ts';

/** A record that is changed by several people. */
export interface Revised {
  revision: number;
}

const RISES = 'Rises with each change: `expectedRevision` of the next one, which If-Match is on REST.';

/**
 * The revision of a record, in a column `revision int not null default 1`. It rises with whatever a transaction changes of the
 * record; `byHand` where some changes are nothing that a caller must have seen. A change compares it with `requireRevision`.
 */
export const Revision = ({ byHand = false, description = RISES } = {}): PropertyDecorator => {
  const onUpdate = ({ revision }: Revised): number => revision + 1;
  return (prototype: object, name: string | symbol) => {
    Field(() => Int, { description })(prototype, name);
    Property({ type: 'integer', default: 1, ...(!byHand && { onUpdate }) } as object)(prototype, name as string);
  };
};

/** The argument of a mutation by which its caller names the revision that they have seen; REST states it by If-Match. */
export const ExpectedRevision = (): ReturnType<typeof Arg> =>
  Arg('expectedRevision', () => Int, { nullable: true, description: 'STALE_RESOURCE where the record has another revision by now.' });

/** For a record that is locked in the transaction of its change. Any revision will do where none is expected. @throws StaleResource */
export function requireRevision({ revision }: Revised, expected: number | null | undefined): void {
  if (typeof expected === 'number' && expected !== revision) throw new StaleResource();
}
