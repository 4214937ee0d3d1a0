import { SpanKind } from '@opentelemetry/api';
import type { DocumentNode, ExecutionResult } from 'graphql';
import type { RequestContext } from '../kernel/request.ts';
import { inTrace, isTraced } from '../kernel/tracing/tracing.ts';
import { namingVariables } from './errors.ts';
import type { RouterObserver } from './observer.ts';
import type { MaybePromise, Transport, Variables } from './transport.ts';

/** Sends the subgraph requests of one operation for one caller, and counts the requests per subgraph. */
export class CallerExecution {
  readonly fetches: Record<string, number> = {};

  constructor(
    private readonly context: RequestContext,
    private readonly observer: RouterObserver,
  ) {}

  fetch(subgraph: string, transport: Transport, document: DocumentNode, variables: Variables | undefined): MaybePromise<ExecutionResult> {
    this.fetches[subgraph] = (this.fetches[subgraph] ?? 0) + 1;
    const started = this.observer.fetch ? performance.now() : 0;
    const request = { document, variables, context: this.context };
    const answer = isTraced(undefined)
      ? inTrace(undefined, { name: `fetch ${subgraph}`, kind: SpanKind.CLIENT }, () => transport.execute(request))
      : transport.execute(request);
    if (!(answer instanceof Promise)) return this.#read(answer, subgraph, started);
    return answer.then(
      (result) => this.#read(result, subgraph, started),
      (error: unknown) => {
        this.#observe(subgraph, started, true);
        throw error;
      },
    );
  }

  #read(result: ExecutionResult, subgraph: string, started: number): ExecutionResult {
    this.#observe(subgraph, started, result.errors !== undefined);
    return namingVariables(result);
  }

  #observe(subgraph: string, started: number, failed: boolean): void {
    this.observer.fetch?.({ subgraph, durationMs: performance.now() - started, failed });
  }
}
