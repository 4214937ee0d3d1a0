import {
  type DirectiveNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { NOTHING_SELECTED } from './execution/projection.ts';
import type { Fragments } from './limits.ts';
import type { Variables } from './transport.ts';

/** Values of the variables in the `@skip` and `@include` conditions of an operation, by variable name. */
export type Decisions = ReadonlyMap<string, boolean>;

/** An operation without its skipped selections and without `@skip` and `@include`. */
export interface Unconditional {
  node: OperationDefinitionNode;
  fragments: Fragments;
}

/**
 * The result of `Conditions.decide` if the caller sends null for a variable of `@skip` or `@include`. The validation of
 * the document cannot detect this, because it does not know the values of the variables.
 */
export class NullCondition {
  constructor(readonly variable: string) {}
}

/**
 * The `@skip` and `@include` conditions of one operation. They are resolved before planning.
 * Each combination of values becomes a separate operation, so the planner, the projection and the cost calculation need
 * not support conditions.
 */
export class Conditions {
  /** The variables that `@skip` and `@include` use, with their default values. */
  readonly #variables = new Map<string, boolean>();
  #areAny = false;

  constructor(
    private readonly node: OperationDefinitionNode,
    private readonly fragments: Fragments,
  ) {
    const followed = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        for (const directive of selection.directives ?? []) this.#add(directive);
        if (selection.kind !== Kind.FRAGMENT_SPREAD) {
          if (selection.selectionSet) collect(selection.selectionSet);
        } else if (!followed.has(selection.name.value)) {
          followed.add(selection.name.value);
          const fragment = fragments.get(selection.name.value);
          if (fragment) collect(fragment.selectionSet);
        }
      }
    };
    collect(node.selectionSet);
  }

  /**
   * Returns the values of the variables that `@skip` and `@include` use. A value of the wrong type counts as false
   * here. The validation of the variables rejects this value later.
   */
  decide(variables: Variables): Decisions | NullCondition {
    if (this.#variables.size === 0) return NO_DECISIONS;
    const decisions = new Map<string, boolean>();
    for (const [name, fallback] of this.#variables) {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (value === null) return new NullCondition(name);
      decisions.set(name, value === undefined ? fallback : value === true);
    }
    return decisions;
  }

  /**
   * Returns the operation without skipped selections, and without `@skip` and `@include`. An operation that has none of
   * them is returned unchanged.
   */
  apply(decisions: Decisions): Unconditional {
    if (!this.#areAny) return { node: this.node, fragments: this.fragments };
    const pruning = new Pruning(this.fragments, decisions);
    const selectionSet = pruning.prune(this.node.selectionSet);
    return { node: { ...this.node, selectionSet }, fragments: pruning.kept };
  }

  #add(directive: DirectiveNode): void {
    if (!isCondition(directive)) return;
    this.#areAny = true;
    const value = conditionIn(directive);
    if (value?.kind !== Kind.VARIABLE) return;
    const name = value.name.value;
    const definition = this.node.variableDefinitions?.find(({ variable }) => variable.name.value === name);
    this.#variables.set(name, definition?.defaultValue?.kind === Kind.BOOLEAN && definition.defaultValue.value);
  }
}

const NO_DECISIONS: Decisions = new Map();

/** Removes skipped selections, and spreads of fragments in which every selection is skipped. */
class Pruning {
  readonly kept = new Map<string, FragmentDefinitionNode>();
  readonly #empty = new Set<string>();

  constructor(
    private readonly fragments: Fragments,
    private readonly decisions: Decisions,
  ) {}

  prune({ selections }: SelectionSetNode): SelectionSetNode {
    return { kind: Kind.SELECTION_SET, selections: selections.flatMap((selection) => this.#selection(selection)) };
  }

  #selection(selection: SelectionNode): SelectionNode[] {
    const { directives = [] } = selection;
    if (!directives.every((directive) => !isCondition(directive) || this.#includes(directive))) return [];
    const kept = { ...selection, directives: directives.filter((directive) => !isCondition(directive)) };
    switch (kept.kind) {
      case Kind.FRAGMENT_SPREAD:
        return this.#keeps(kept.name.value) ? [kept] : [];
      case Kind.INLINE_FRAGMENT: {
        const selectionSet = this.prune(kept.selectionSet);
        return selectionSet.selections.length > 0 ? [{ ...kept, selectionSet }] : [];
      }
      case Kind.FIELD: {
        if (!kept.selectionSet) return [kept];
        const selectionSet = this.prune(kept.selectionSet);
        // The object must be in the response even if all its fields are skipped. GraphQL does not allow an empty
        // selection.
        return [{ ...kept, selectionSet: selectionSet.selections.length > 0 ? selectionSet : NOTHING_SELECTED }];
      }
    }
  }

  #keeps(name: string): boolean {
    if (this.kept.has(name)) return true;
    const fragment = this.fragments.get(name);
    if (!fragment || this.#empty.has(name)) return false;
    const selectionSet = this.prune(fragment.selectionSet);
    if (selectionSet.selections.length === 0) {
      this.#empty.add(name);
      return false;
    }
    this.kept.set(name, { ...fragment, selectionSet });
    return true;
  }

  #includes(directive: DirectiveNode): boolean {
    const value = conditionIn(directive);
    const isMet = value?.kind === Kind.VARIABLE ? this.decisions.get(value.name.value) : value?.kind === Kind.BOOLEAN && value.value;
    return isMet === (directive.name.value === 'include');
  }
}

const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';
const conditionIn = ({ arguments: args = [] }: DirectiveNode) => args.find(({ name }) => name.value === 'if')?.value;
