import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { ComponentName } from './component.states.ts';
import { ComponentStore } from './component.store.ts';
import type { PlatformComponent } from './component.types.ts';
import { shownState } from './component-state.ts';

/** Which time the checks of each component measure, for people. */
const MEASUREMENTS: Readonly<Record<ComponentName, string>> = {
  [ComponentName.API]: 'Response time of a request to the API',
  [ComponentName.GRAPH]: 'Response time of the slowest of six queries, one for each domain',
  [ComponentName.WEBHOOKS]: 'Time for which the oldest event has been waiting for its first delivery to begin',
  [ComponentName.JOBS]: 'Time for which the oldest job has been waiting to begin',
  [ComponentName.DATABASE]: 'Time to write to the slowest database',
};

/** Reads the states of the platform's components. */
export class ComponentService {
  readonly #store: ComponentStore;

  constructor(
    rows: Rows,
    private readonly clock: Clock,
  ) {
    this.#store = new ComponentStore(rows);
  }

  /** Returns all components, in the order of their names in `ComponentName`. */
  async list(): Promise<PlatformComponent[]> {
    const states = await this.#store.read();
    const now = this.clock.now();
    return Object.values(ComponentName).flatMap((name): PlatformComponent[] => {
      const state = states.get(name);
      return state ? [{ name, ...shownState(state, now), checkedAt: state.checkedAt, measurement: MEASUREMENTS[name] }] : [];
    });
  }
}
