import 'reflect-metadata';
import { createLogger } from '../../kernel/log/log.ts';
import { loadConfig } from '../../kernel/settings/config.ts';
import type { Assemble } from './assembly.ts';
import { banner } from './banner.ts';
import { helpText, readCommand } from './command-line.ts';
import { startPlatform } from './platform.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';
import { renewOnHangup } from './renewal.ts';
import { closeOnSignal } from './shutdown.ts';
import { describeStartError } from './start-error.ts';

/**
 * Imports the assembly only after the settings, certificates and port were checked. Loading the assembly takes most of
 * the start time, and an invalid setting is reported without this delay.
 */
const assemble: Assemble = async (foundation) => (await import('./assemble.ts')).assemble(foundation);

try {
  const { help, source } = readCommand(process.argv.slice(2), process.env);
  if (help) {
    process.stdout.write(helpText());
  } else {
    const config = loadConfig(source);
    const log = createLogger({ level: config.logLevel });
    const platform = await startPlatform(config, assemble, { log });
    closeOnSignal(platform, config.shutdownTimeoutMs, log);
    if (config.tlsCert) renewOnHangup(platform, log);
    releaseMemoryWhenIdle();
    process.stdout.write(`${banner(platform)}\n`);
  }
} catch (error) {
  process.stderr.write(`${describeStartError(error)}\n`);
  process.exit(1);
}
