import type { Domain } from '../../kernel/domain.ts';
import type { SubgraphName } from '../../kernel/settings/data.ts';
import { billing } from '../../subgraphs/billing/subgraph.ts';
import { events } from '../../subgraphs/events/subgraph.ts';
import { identity } from '../../subgraphs/identity/subgraph.ts';
import { monitoring } from '../../subgraphs/monitoring/subgraph.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { support } from '../../subgraphs/support/subgraph.ts';

/** The domain of each subgraph, by the name of the subgraph. */
export const domains = { identity, services, billing, support, monitoring, events } satisfies Record<SubgraphName, Omit<Domain, 'start'>>;
