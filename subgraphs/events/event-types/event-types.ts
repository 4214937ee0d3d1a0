import type { Permission, Principal } from '../../../kernel/access/principal.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { type EventType, matches } from '../../../kernel/events/events.ts';
import { readPermissionOf } from './families.ts';

/**
 * Every event of the platform's domains (specification section 6), and which of them a pattern or a caller covers. Those that
 * are announced and not emitted yet are covered too: who subscribes to one receives it from the day it comes.
 */
export class EventTypes {
  readonly #types: ReadonlyMap<string, EventType>;

  /** @throws Error for a name that two domains registered, and for a family without a permission. */
  constructor(readonly types: readonly EventType[]) {
    this.#types = new Map(types.map((type) => [type.name, type]));
    if (this.#types.size < types.length) throw new Error('Two event types have the same name.');
    for (const { family } of types) readPermissionOf(family);
  }

  /** What is known of an event; undefined for one that no domain registers any more. */
  find(name: string): EventType | undefined {
    return this.#types.get(name);
  }

  /** @throws Error for an event that no domain registered. */
  familyOf(name: string): string {
    const type = this.#types.get(name);
    if (!type) throw new Error(`The event ${name} is no event type of the platform.`);
    return type.family;
  }

  /**
   * The names that patterns cover, within a family where one is given.
   * @throws InvalidParameters for each pattern that covers none; `field` is the list's name.
   */
  namesOf(patterns: readonly string[], field: string, family?: string | null): ReadonlySet<string> {
    refuse(this.problemsOf(patterns, field, family));
    return this.coveredBy(patterns, family);
  }

  /** One for each pattern that covers no event of the family; `field` is the list's name. */
  problemsOf(patterns: readonly (string | null)[], field: string, family?: string | null): FieldProblem[] {
    return patterns.flatMap((pattern, index) =>
      pattern === null || this.coveredBy([pattern], family).size > 0 ? [] : [this.#problem(pattern, `${field}.${index}`, family)],
    );
  }

  /** The names that patterns cover, where they cover any. */
  coveredBy(patterns: readonly string[], family?: string | null): ReadonlySet<string> {
    const isCovered = (type: EventType): boolean =>
      (!family || type.family === family) && patterns.some((pattern) => matches(pattern, type));
    return new Set(this.types.filter(isCovered).map(({ name }) => name));
  }

  /** Of these names (default: all) the ones that a caller may read. */
  readable(principal: Principal, names?: ReadonlySet<string>): ReadonlySet<string> {
    const readable = this.types.filter((type) => (!names || names.has(type.name)) && principal.may(readPermission(type)));
    return new Set(readable.map(({ name }) => name));
  }

  /** Nobody has sent to a receiver what they may not read. @throws InsufficientPermissions */
  requireReadable(principal: Principal, names: ReadonlySet<string>): void {
    for (const type of this.types) if (names.has(type.name)) principal.require(readPermission(type));
  }

  #problem(pattern: string, field: string, family?: string | null): FieldProblem {
    const isElsewhere = this.types.some((type) => matches(pattern, type));
    return {
      field,
      value: pattern,
      reason: isElsewhere ? `is no event of the ${family} family` : 'names no event; GET /v1/webhooks/events lists them',
    };
  }
}

/** Who may read it: whoever may read the records of its family, unless the type says otherwise. */
export const readPermission = ({ family, requires }: Pick<EventType, 'family' | 'requires'>): Permission =>
  requires ?? readPermissionOf(family);
