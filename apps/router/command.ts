import { createLogger } from '../../kernel/log/log.ts';
import { closeOnSignal } from '../platform/shutdown.ts';
import { StartError } from '../platform/start-error.ts';
import { HELP, readCommand } from './command-line.ts';
import { startRouter } from './server.ts';

const SHUTDOWN_TIMEOUT_MS = 10_000;

try {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command.help) {
    process.stdout.write(HELP);
  } else {
    const log = createLogger({ level: command.logLevel });
    const server = await startRouter(command, log);
    closeOnSignal(server, SHUTDOWN_TIMEOUT_MS, log);
    process.stdout.write(`The router is listening at ${server.origin}/graphql\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
