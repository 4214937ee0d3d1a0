import type { Subgraph } from '../../kernel/subgraph.ts';
import type { Applied, ApplyOrder } from '../../subgraphs/services/providers/service.provider.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';

const UPDATE = 'mutation($id: ID!, $input: ServiceUpdateInput!) { updateService(id: $id, input: $input) { id } }';
const FEATURES = 'mutation($id: ID!, $features: JSON!) { updateServiceFeatures(id: $id, input: { features: $features }) { id } }';

export const completed = async (): Promise<Applied> => ({ state: 'completed', reference: 'line-1' });
export const inProgress = async (): Promise<Applied> => ({ state: 'in_progress', checkAfterSeconds: 5 });

/** An operational service whose provider gives the answers that a test sets. The test runs the jobs itself. */
export class ScriptedService implements AsyncDisposable {
  answer: (order: ApplyOrder) => Promise<Applied> = completed;
  readonly provider = new ScriptedProvider((order) => this.answer(order));
  readonly #subgraph: Subgraph;

  private constructor(
    readonly alone: ServicesAlone,
    readonly id: string,
  ) {
    this.#subgraph = alone.subgraph(this.provider);
  }

  static async open(): Promise<ScriptedService> {
    const alone = await ServicesAlone.open();
    const service = new ScriptedService(alone, await alone.ordered());
    await alone.jobs.start({ work: false });
    await service.run();
    return service;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.alone[Symbol.asyncDispose]();
  }

  /** Runs a GraphQL operation whose variable `$id` is the id of the service. */
  query(source: string, variables: Record<string, unknown> = {}): Promise<Json> {
    return this.alone.query(this.#subgraph, source, { id: this.id, ...variables });
  }

  update(input: Json): Promise<Json> {
    return this.query(UPDATE, { input });
  }

  switchFeatures(features: Json): Promise<Json> {
    return this.query(FEATURES, { features });
  }

  /** Runs the job of the service several times. A job that fails is run again. */
  async run(times = 1): Promise<void> {
    for (let step = 0; step < times; step += 1) await this.alone.provision(this.id, this.provider).catch(() => undefined);
  }
}
