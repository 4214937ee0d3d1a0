/**
 * The path of the first null that may not stand, from the inside out: as each enclosing object or list takes its child back, it
 * adds where the child stood. Costs the usual answer one look at a flag for each value.
 */
export class Trace {
  isOpen = false;
  path: (string | number)[] | undefined;

  reset(): void {
    this.isOpen = false;
    this.path = undefined;
  }

  /** Whether the null stood in the object itself that takes it back now. */
  get isHere(): boolean {
    return this.path?.length === 1;
  }

  begin(): void {
    if (this.path) return;
    this.path = [];
    this.isOpen = true;
  }

  /** Adds a step; what follows in the same object or list is not on the path. */
  pass(step: string | number): true {
    this.path?.unshift(step);
    this.isOpen = false;
    return true;
  }

  /** The object or list is done; the one around it is next. */
  goOn(): void {
    this.isOpen = true;
  }
}
