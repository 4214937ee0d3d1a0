import { PlatformError } from '../../kernel/errors/errors.ts';
import { ConfigError, type ConfigSource } from '../../kernel/settings/config.ts';
import { describeStartError } from '../platform/start-error.ts';

/** One run of a tool: its command line, its environment, and its output. */
export interface ToolRun {
  args: readonly string[];
  environment: ConfigSource;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
}

/** A command-line tool. Resolves to its exit status. */
export type Tool = (run: ToolRun) => Promise<number>;

/** Runs a tool. An error becomes one line on standard error and exit status 1. */
export async function runTool(tool: Tool, run: ToolRun): Promise<number> {
  try {
    return await tool(run);
  } catch (error) {
    // for a PlatformError, prints only its message, which says how to solve the problem; for an unexpected error,
    // prints the stack
    run.warn(`${error instanceof PlatformError ? error.message : describeStartError(error)}\n`);
    return 1;
  }
}

/** Runs a tool with the arguments, the environment and the output of this process. */
export async function runAsProcess(tool: Tool): Promise<void> {
  process.exitCode = await runTool(tool, {
    args: process.argv.slice(2),
    environment: process.env,
    write: (text) => void process.stdout.write(text),
    warn: (text) => void process.stderr.write(text),
  });
}

/** Returns the settings of a run: the environment variables, overridden by the command-line options. */
export const settingsOf = ({ environment }: ToolRun, options: ConfigSource): ConfigSource => ({
  ...environment,
  ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
});

/**
 * Parses a command line with `parse`.
 * @throws ConfigError if `parse` fails. The message is one sentence about the problem and a reference to `--help` of
 * the tool
 */
export function orHelp<T>(parse: () => T, tool: string): T {
  try {
    return parse();
  } catch (error) {
    throw new ConfigError([`${(error as Error).message.split('. ', 1)[0]}. See npm run ${tool} -- --help.`]);
  }
}
