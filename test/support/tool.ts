import { runTool, type Tool } from '../../apps/tools/tool.ts';
import type { Exit } from './process.ts';

/**
 * Runs a tool in the process of the test, which takes a fraction of the time of a process of its own: for tests of what the tool
 * does. That its program starts, and ends when it is killed or when the data folder is in use, is tested by `RunningProcess`.
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
