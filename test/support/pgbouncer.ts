import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastingPort } from './port.ts';

const START_MS = 10_000;
/** Number of connections to PostgreSQL. It is enough for the platforms of one test file. */
const POOL_SIZE = 20;
/** Time after which an idle connection to PostgreSQL is closed. Otherwise those of closed platforms would use up the server's 100. */
const IDLE_SECONDS = 5;

/** A PgBouncer in front of PostgreSQL. In transaction mode each transaction can use another connection. */
export class PgBouncer implements AsyncDisposable {
  private constructor(
    readonly host: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /**
   * Starts PgBouncer for all databases on the server of `serverUrl`.
   * @throws if the program pgbouncer is not installed
   */
  static async start(serverUrl: string, { poolMode = 'transaction' }: { poolMode?: 'transaction' | 'session' } = {}): Promise<PgBouncer> {
    const { hostname, port, username, password } = new URL(serverUrl);
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const listenPort = await lastingPort();
    const users = join(folder, 'users.txt');
    const user = decodeURIComponent(username) || 'postgres';
    const secret = password && ` password='${decodeURIComponent(password)}'`;
    writeFileSync(users, `"${user}" ""\n`);
    const settings = join(folder, 'pgbouncer.ini');
    writeFileSync(
      settings,
      `[databases]
* = host=${hostname} port=${port || 5432} user=${user}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${poolMode}
default_pool_size = ${POOL_SIZE}
server_idle_timeout = ${IDLE_SECONDS}
max_client_conn = 500
`,
    );
    // PgBouncer does not run as root, and reads its files before it changes the user
    const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn('pgbouncer', [...asNobody, settings], { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr?.on('data', (chunk) => (output += chunk));
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (cause) => reject(new Error('PgBouncer cannot be started: install it (Debian: pgbouncer).', { cause })));
      child.once('exit', () => reject(new Error(`PgBouncer ended:\n${output}`)));
    });
    failed.catch(() => undefined);
    try {
      await Promise.race([failed, accepting(listenPort)]);
    } catch (error) {
      child.kill();
      rmSync(folder, { recursive: true });
      throw error;
    }
    return new PgBouncer(`127.0.0.1:${listenPort}`, child, folder);
  }

  /** True if the tests that need PgBouncer should run: always in CI, elsewhere only if pgbouncer is installed. */
  static get isExpected(): boolean {
    return Boolean(process.env.CI) || !spawnSync('pgbouncer', ['--version']).error;
  }

  /** The URL of a database through PgBouncer. */
  static through(host: string, url: string): string {
    const pooled = new URL(url);
    pooled.host = host;
    return pooled.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGINT');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true });
  }
}

async function accepting(port: number): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`PgBouncer did not listen within ${START_MS / 1000} s.`);
}
