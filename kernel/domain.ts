import type { FastifyInstance } from 'fastify';
import type { Permission } from './access/principal.ts';
import type { SealedColumn, SealedJobs } from './access/sealed-column.ts';
import type { Clock } from './clock.ts';
import type { Database, Orm, Rows, Tables } from './database/database.ts';
import type { EventType, LogConsumer, Reaction } from './events/events.ts';
import type { Graph } from './graph.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Logger } from './log/log.ts';
import type { OrganizationTables } from './records/organization-data.ts';
import type { Subgraph } from './subgraph.ts';
import type { Retained } from './work/retention.ts';

export type IsSuspended = (organizationId: string) => Promise<boolean>;

/** What a domain is given to work with. */
export interface Ports {
  orm: Orm;
  rows: Rows;
  database: Database;
  jobs: Jobs;
  clock: Clock;
  graph: Graph;
  log: Logger;
  /** Public origin of the platform, for links. */
  origin: string;
  /** Whether an organization is suspended: what others see of it waits. From memory. Default: none is. */
  isSuspended?: IsSuspended;
  /** Whether an organization is closed: nothing runs for it any more, unless it is reopened. From memory. Default: none is. */
  isClosed?: (organizationId: string) => Promise<boolean>;
}

/** A domain that runs: its part of the graph, what it does about events, and what it does besides answering. */
export interface RunningDomain {
  subgraph: Subgraph;
  reactions?: Reaction[];
  consumers?: LogConsumer[];
  /** What it deletes by age: `npm run maintenance -- prune` does so at once. */
  retained?: readonly Retained[];
  /** Adds what is no graph, such as the download of a file, behind the edge. */
  mount?(app: FastifyInstance): Promise<void>;
  /** Begins what it does by itself, once the server listens. */
  start?(): Promise<void>;
  /** Ends that, when no more requests come and before the database closes. */
  stop?(): Promise<void>;
}

/** A live subscription to what happens to one kind of record. The events domain makes it of this declaration. */
export interface LiveField {
  /** The field of Subscription, such as `ticketUpdated`. */
  field: string;
  /** The entity that its events are about, as the graph names it. */
  subject: string;
  /** The field of Event that reads it, such as `ticket`. */
  eventField: string;
  /** The events, by name and pattern. */
  events: readonly string[];
  /** What the subscriber must hold; of the events it then gets those whose family it may read. */
  requires: Permission;
  description: string;
}

/** A domain as its folder exports it: what it keeps, what it tells, and how it starts. */
export interface Domain<P extends Ports = Ports, R extends RunningDomain = RunningDomain> extends Omit<Tables, 'schema'> {
  /** Also the name of its database schema. */
  name: string;
  events: EventType[];
  /** Columns of encrypted texts: they are checked at the start, and encrypted anew when the secret key changes. */
  sealed?: readonly SealedColumn[];
  /** What its tables hold of organizations: what an export shows, and what becomes of it when they end. */
  organizationData: OrganizationTables;
  /** Queues whose jobs hold an encrypted text. */
  sealedJobs?: readonly SealedJobs[];
  /** What can be followed live. */
  live?: readonly LiveField[];
  /** Defines its queues on `jobs`, which start after all domains did. */
  start(ports: P): R;
}
