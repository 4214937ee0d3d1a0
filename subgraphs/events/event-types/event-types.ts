import type { Permission, Principal } from '../../../kernel/access/principal.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { type EventType, matches } from '../../../kernel/events/events.ts';
import { readPermissionOf } from './families.ts';

/**
 * All event types that the platform's domains declare (specification section 6). Finds event types by pattern, and event types whose events
 * a caller may read. A domain may declare a type before it emits events of this type. Webhooks can already subscribe to a type before
 * events of this type are emitted.
 */
export class EventTypes {
  readonly #types: ReadonlyMap<string, EventType>;
  /** All declared event types except internal types. */
  readonly types: readonly EventType[];

  /** Checks the types. @throws Error if two types have the same name, or a family has no read permission */
  constructor(declared: readonly EventType[]) {
    this.#types = new Map(declared.map((type) => [type.name, type]));
    if (this.#types.size < declared.length) throw new Error('Two event types have the same name.');
    for (const { family } of declared) readPermissionOf(family);
    this.types = declared.filter(({ isInternal }) => !isInternal);
  }

  /** Returns the type of an event; undefined if no domain declares the event. */
  find(name: string): EventType | undefined {
    return this.#types.get(name);
  }

  /** Returns the family of an event. @throws Error if no domain declares the event */
  familyOf(name: string): string {
    const type = this.#types.get(name);
    if (!type) throw new Error(`The event ${name} is no event type of the platform.`);
    return type.family;
  }

  /**
   * Returns the names of the event types that match a pattern. If `family` is given, only types of this family match.
   * `field` is the name of the input list in error messages.
   * @throws InvalidParameters if a pattern matches no event type
   */
  namesOf(patterns: readonly string[], field: string, family?: string | null): ReadonlySet<string> {
    refuse(this.problemsOf(patterns, field, family));
    return this.coveredBy(patterns, family);
  }

  /**
   * Returns a problem for each pattern that matches no event type. If `family` is given, only types of this family
   * match. `field` is the name of the input list in error messages.
   */
  problemsOf(patterns: readonly (string | null)[], field: string, family?: string | null): FieldProblem[] {
    return patterns.flatMap((pattern, index) =>
      pattern === null || this.coveredBy([pattern], family).size > 0 ? [] : [this.#problem(pattern, `${field}.${index}`, family)],
    );
  }

  /**
   * Returns the names of the event types that match a pattern. If `family` is given, only types of this family match.
   * The result may be empty.
   */
  coveredBy(patterns: readonly string[], family?: string | null): ReadonlySet<string> {
    const isCovered = (type: EventType): boolean =>
      (!family || type.family === family) && patterns.some((pattern) => matches(pattern, type));
    return new Set(this.types.filter(isCovered).map(({ name }) => name));
  }

  /** Returns the names in `names` whose events the caller may read. Default for `names`: all events. */
  readable(principal: Principal, names?: ReadonlySet<string>): ReadonlySet<string> {
    const readable = this.types.filter((type) => (!names || names.has(type.name)) && principal.may(readPermission(type)));
    return new Set(readable.map(({ name }) => name));
  }

  /**
   * Checks that the caller may read all events of `names`. A caller may send only readable events to a receiver.
   * @throws InsufficientPermissions
   */
  requireReadable(principal: Principal, names: ReadonlySet<string>): void {
    for (const type of this.types) if (names.has(type.name)) principal.require(readPermission(type));
  }

  #problem(pattern: string, field: string, family?: string | null): FieldProblem {
    const isElsewhere = this.types.some((type) => matches(pattern, type));
    return {
      field,
      value: pattern,
      reason: isElsewhere ? `is not an event of the ${family} family` : 'does not match any event. GET /v1/webhooks/events lists them',
    };
  }
}

/**
 * Returns the permission to read an event: the permission of its family, unless the event type states another
 * permission.
 */
export const readPermission = ({ family, requires }: Pick<EventType, 'family' | 'requires'>): Permission =>
  requires ?? readPermissionOf(family);
