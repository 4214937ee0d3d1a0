import type { Client, ExecutionResult, FormattedExecutionResult } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import type { Json, Tenant } from '../tenant.ts';

export interface Followed {
  results: ExecutionResult<Json>[];
  /** The values received for a field. */
  of(field: string): Json[];
  errors(): Json[];
  isDone(): boolean;
  leave(): void;
}

/** Opens a subscription on a new socket. */
export function follow(tenant: Tenant, query: string, variables: Record<string, unknown> = {}): Followed {
  const client: Client = tenant.socket();
  onTestFinished(() => void client.dispose());
  const results: ExecutionResult<Json>[] = [];
  const errors: Json[] = [];
  let done = false;
  const end = (error?: unknown): void => {
    if (Array.isArray(error)) errors.push(...(error as Json[]));
    done = true;
  };
  const take = (result: FormattedExecutionResult<Json>): void => {
    results.push(result as ExecutionResult<Json>);
    errors.push(...(result.errors ?? []));
  };
  const leave = client.subscribe<Json>({ query, variables }, { next: take, error: end, complete: () => end() });
  return {
    results,
    of: (field) => results.flatMap(({ data }) => (data?.[field] ? [data[field]] : [])),
    errors: () => errors,
    isDone: () => done,
    leave,
  };
}
