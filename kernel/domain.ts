import type { FastifyInstance } from 'fastify';
import type { Permission } from './access/principal.ts';
import type { SealedColumn, SealedJobs } from './access/sealed-column.ts';
import type { Clock } from './clock.ts';
import type { Database, Orm, Rows, Tables } from './database/database.ts';
import type { EventType, LogConsumer, Reaction } from './events/events.ts';
import type { Graph } from './graph.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Logger } from './log/log.ts';
import type { OrganizationLog } from './log/organization-log.ts';
import type { OrganizationTables } from './records/organization-data.ts';
import type { Subgraph } from './subgraph.ts';
import type { Retained } from './work/retention.ts';

export type IsSuspended = (organizationId: string) => Promise<boolean>;

/** Dependencies of a domain: the interfaces through which it uses code outside of the domain. The domain gets them when it starts. */
export interface Ports {
  orm: Orm;
  rows: Rows;
  database: Database;
  jobs: Jobs;
  clock: Clock;
  graph: Graph;
  log: Logger;
  /** Logs that the organizations can read. Default: no log entries are written. */
  organizationLog?: OrganizationLog;
  /** Public origin of the platform, such as `https://api.example.com`. Links to the platform begin with it. */
  origin: string;
  /**
   * Returns true if an organization is suspended. While it is suspended, work such as sending messages and provisioning services is
   * postponed. The result is read from memory. Default: no organization is suspended.
   */
  isSuspended?: IsSuspended;
  /**
   * Table of organizations whose due rows the sweepers skip, such as `billing.sandbox_clock`. Other code processes these rows with
   * `Sweeper.handle`. Default: none.
   */
  except?: string;
  /**
   * Returns true if an organization is closed. The platform does no work for a closed organization until it is
   * reopened. The result is read from memory. Default: no organization is closed.
   */
  isClosed?: (organizationId: string) => Promise<boolean>;
}

/** A running domain: its subgraph, its reactions to events, and its background work. */
export interface RunningDomain {
  subgraph: Subgraph;
  reactions?: Reaction[];
  consumers?: LogConsumer[];
  /**
   * Kinds of records that are deleted when they reach a certain age. `npm run maintenance -- prune` deletes the expired
   * records immediately.
   */
  retained?: readonly Retained[];
  /** Adds HTTP routes that are not GraphQL, such as a file download. The edge authenticates their requests. */
  mount?(app: FastifyInstance): Promise<void>;
  /** Starts background work after the server is listening. */
  start?(): Promise<void>;
  /** Stops background work after the last request and before the database closes. */
  stop?(): Promise<void>;
}

/**
 * A live subscription to the events of one kind of record. The events domain builds the subscription from this
 * declaration.
 */
export interface LiveField {
  /** The field of the type `Subscription`, such as `ticketUpdated`. */
  field: string;
  /** The entity that the events are about, by its GraphQL type name. */
  subject: string;
  /** The field of the type `Event` that returns the entity, such as `ticket`. */
  eventField: string;
  /** Names and patterns of the events that are delivered. */
  events: readonly string[];
  /**
   * The permission that a subscriber needs. A subscriber also needs the read permission of an event's family to get the
   * event.
   */
  requires: Permission;
  description: string;
}

/** The declaration of a domain, which its folder exports: its tables, its events, and how it starts. */
export interface Domain<P extends Ports = Ports, R extends RunningDomain = RunningDomain> extends Omit<Tables, 'schema'> {
  /** The name of the domain and of its database schema. */
  name: string;
  events: EventType[];
  /**
   * Columns of encrypted texts. The check of the secret key at startup reads these texts, and `npm run maintenance --
   * reencrypt` encrypts them with the current key.
   */
  sealed?: readonly SealedColumn[];
  /**
   * Declares the data of organizations in the domain's tables: which columns an export contains, and what happens to
   * the data when the organization is deleted.
   */
  organizationData: OrganizationTables;
  /** Queues whose jobs contain an encrypted text. */
  sealedJobs?: readonly SealedJobs[];
  /** Live subscriptions to events of this domain. */
  live?: readonly LiveField[];
  /**
   * Creates the running domain, and defines its queues on `ports.jobs`. The queues start after all domains have
   * started.
   */
  start(ports: P): R;
}
