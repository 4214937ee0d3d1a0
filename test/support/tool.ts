import { runTool, type Tool } from '../../apps/tools/tool.ts';
import type { Exit } from './process.ts';

/**
 * Runs a command line tool in the process of the test, which is much faster than a new process. Tests that check how the
 * tool's program starts or exits use `RunningProcess` instead.
 */
export async function runInProcess(
  tool: Tool,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Pick<Exit, 'code' | 'stdout' | 'stderr'>> {
  let [stdout, stderr] = ['', ''];
  const code = await runTool(tool, {
    args,
    environment: { LOG_LEVEL: 'warn', ...environment },
    write: (text) => {
      stdout += text;
    },
    warn: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}
