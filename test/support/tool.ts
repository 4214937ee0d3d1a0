import { runTool, type Tool } from '../../apps/tools/tool.ts';
import type { Exit } from './process.ts';

/**
 * Runs a tool in the test's process, which is much faster than a new process: for tests of what the tool does. `RunningProcess`
 * tests how its program starts, and ends when it is killed or the data folder is in use.
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
