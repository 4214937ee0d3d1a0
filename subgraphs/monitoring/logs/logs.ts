import type { FastifyInstance } from 'fastify';
import { NO_LIMIT } from '../../../kernel/access/allowances.ts';
import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { LogConsumer } from '../../../kernel/events/events.ts';
import { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { type Retained, RetentionTask } from '../../../kernel/work/retention.ts';
import type { MonitoringPorts } from '../ports.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import { eventLines } from './event-lines.ts';
import { logRetention } from './log.retention.ts';
import { mountLogIngestion } from './log.routes.ts';
import { LogService } from './log.service.ts';
import { LogStore } from './log.store.ts';
import { LogIngestion } from './log-ingestion.ts';
import { LogIntake } from './log-intake.ts';
import { LogTail } from './log-tail.ts';
import { LogWriter } from './log-writer.ts';

/** Number of the advisory lock ("logs" in ASCII) that is held while partitions are created or dropped. */
export const LOGS_LOCK = 0x6c6f6773;
const DEFAULT_DAYS = 30;

/** The logs of organizations: storing the lines of the platform, receiving the entries of clients, and searching. */
export class Logs {
  readonly retained: readonly Retained[];
  /** Stores the entries that clients send. */
  readonly intake: LogIntake;
  readonly #store: LogStore;
  readonly #writer: LogWriter;
  readonly #retention: RetentionTask;
  readonly #tail: LogTail;

  constructor(
    private readonly ports: MonitoringPorts,
    private readonly services: ServiceAccounts,
  ) {
    const { orm, log, clock, metrics, logRetentionDays: days = DEFAULT_DAYS, logAllowance = NO_LIMIT, organizationLog } = ports;
    const partitions = new DailyPartitions({ orm, table: 'log_entry', lock: LOGS_LOCK });
    this.#store = new LogStore(orm, partitions);
    this.intake = new LogIntake(new LogIngestion({ store: this.#store, services, clock, metrics }), logAllowance);
    this.#writer = new LogWriter({ ...ports, store: this.#store, services });
    this.retained = [logRetention({ partitions, days, clock })];
    this.#retention = new RetentionTask({ name: 'monitoring.logs', everyMs: HOUR_MS, log }, () => this.retained);
    this.#tail = new LogTail(ports);
    organizationLog?.bind((line) => this.#writer.write(line));
  }

  /** Returns the log search for the scope of one request. */
  forScope(scope: RecordScope): LogService {
    return new LogService({ store: this.#store, tail: this.#tail, services: this.services, scope, clock: this.ports.clock });
  }

  mount(app: FastifyInstance): Promise<void> {
    return mountLogIngestion(app, this.intake, this.ports.clock);
  }

  /** Consumer of the event log that adds log entries about changes of services and webhooks. */
  get consumer(): LogConsumer {
    return eventLines(this.#store);
  }

  /** Stores the waiting log lines. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  start(): void {
    this.#retention.start();
    this.#tail.start();
  }

  async stop(): Promise<void> {
    await this.#tail.stop();
    await this.#retention.stop();
    await this.#writer.stop();
  }
}
