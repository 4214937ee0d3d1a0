import { InvalidState } from '../errors/errors.ts';

/** The allowed next states of each state. */
export type Transitions<S extends string> = Readonly<Record<S, readonly S[]>>;

/** The state machine of a record. A transition that is not allowed fails with 409 INVALID_STATE. */
export class StateMachine<S extends string> {
  constructor(
    private readonly resource: string,
    private readonly transitions: Transitions<S>,
  ) {}

  allowed(from: S): readonly S[] {
    return this.transitions[from];
  }

  /**
   * Checks a transition.
   * @throws InvalidState with the allowed states, if the transition is not allowed
   */
  check(from: S, to: S): void {
    if (!this.transitions[from].includes(to)) throw new InvalidState(this.resource, from, to, this.transitions[from]);
  }
}
