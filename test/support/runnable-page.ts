import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** A fenced block of a Markdown page. */
interface Block {
  language: string;
  text: string;
  line: number;
}

interface Step {
  commands: Block;
  /** The `json` or `text` block after this block, which shows the output. */
  output: Block | undefined;
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;
/** The first line of a block that a reader saves as a file. */
const FILE_NAME = /^(?:\/\/|#) ([\w-]+\.\w+)\n/;
const OUTPUTS = ['json', 'text'];
/** The shell of a page is killed after this time, and the test shows the output until this time. */
const WAIT_MS = 40_000;
const END_OF_STEP = '\u001e';

/** Commands that pages use in addition to Node. They must be installed in CI; elsewhere the tests are skipped. */
const NEEDED = ['bash', 'curl', 'jq', 'openssl'];
const missing = NEEDED.filter((name) => spawnSync('which', [name]).status !== 0);
// curl 7.83 added `--json` and `%header{}`, which pages use
const [, major = 0, minor = 0] = (/^curl (\d+)\.(\d+)/.exec(spawnSync('curl', ['--version']).stdout?.toString() ?? '') ?? []).map(Number);
if (!missing.includes('curl') && major * 1000 + minor < 7083) missing.push('curl 7.83 or later');
if (missing.length > 0 && !process.env.CI)
  process.stderr.write(`\nThe commands of the guide are not run. This machine lacks: ${missing.join(', ')}.\n`);
export const testWithShell = missing.length === 0 || process.env.CI ? test : test.skip;

function blocksOf(text: string): Block[] {
  return [...text.matchAll(FENCE)].map(({ 1: language = '', 2: body = '', index }) => ({
    language,
    text: body,
    line: text.slice(0, index).split('\n').length,
  }));
}

/** The environment and values of a reader who runs the commands of a page. */
export interface Reader {
  environment: Readonly<Record<string, string>>;
  /** Replacements for texts that a reader has to replace by hand. */
  replacements?: Readonly<Record<string, string>>;
}

/**
 * Runs a Markdown page as a reader would: all `sh` blocks run one after the other in one shell. A `json` or `text` block
 * directly after an `sh` block shows the expected output of the `sh` block. The commands of all other `sh` blocks must
 * succeed. Before the shell starts, each block in another language whose first line is a comment with a file name is saved
 * as a file with this name.
 *
 * In a shown output, `…` matches any text. JSON output can have more properties than the shown output, and more list items
 * if the shown list ends with "…".
 */
export async function followPage(path: string, reader: Reader): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  // curl fails on an error response, so that an error that the page does not show fails the test
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\n');

  const steps = stepsOf(blocksOf(readFileSync(path, 'utf8')), folder, reader.replacements ?? {});
  writeFileSync(join(folder, 'page.sh'), [PREAMBLE, ...steps.map(({ commands }) => scriptOf(commands))].join('\n'));
  const { stdout, stderr } = await shell(folder, reader);
  const results = stdout.split(END_OF_STEP);
  for (const [index, { commands, output }] of steps.entries()) {
    const place = `${path}:${commands.line}`;
    const { printed, status } = resultOf(results[index] ?? '');
    if (output) expectOutput(printed, output, `${place} printed\n${printed}\n${stderr}`);
    else expect(status, `${place} failed and printed\n${printed}\n${stderr}`).toBe('ok');
  }
}

/** Splits the output of a step from its status, which is the last line. */
function resultOf(result: string): { printed: string; status: string } {
  const lines = result.trimEnd().split('\n');
  return { printed: lines.slice(0, -1).join('\n'), status: lines.at(-1) ?? '' };
}

function stepsOf(blocks: readonly Block[], folder: string, replacements: Readonly<Record<string, string>>): Step[] {
  const steps: Step[] = [];
  for (const [index, block] of blocks.entries()) {
    const text = Object.entries(replacements).reduce((sofar, [shown, actual]) => sofar.replaceAll(shown, actual), block.text);
    const file = FILE_NAME.exec(text)?.[1];
    if (block.language === 'sh') {
      const next = blocks[index + 1];
      steps.push({ commands: { ...block, text }, output: next && OUTPUTS.includes(next.language) ? next : undefined });
    } else if (file) writeFileSync(join(folder, file), text);
  }
  return steps;
}

/** Sets `status` to `failed` when a command fails. `scriptOf` prints the status at the end of each step and resets it. */
const PREAMBLE = `set -E -o pipefail
status=ok
trap 'status=failed' ERR`;

const scriptOf = ({ text }: Block): string => `${text}printf '\\n%s\\n${END_OF_STEP}' "$status"; status=ok`;

async function shell(folder: string, { environment }: Reader): Promise<{ stdout: string; stderr: string }> {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn('bash', ['page.sh'], {
    cwd: folder,
    env: { PATH: path, HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // a separate process group, so that background processes of the page are killed too
    detached: true,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // the process group does not exist any more
    }
  };
  const late = setTimeout(end, WAIT_MS);
  await once(child, 'exit');
  clearTimeout(late);
  end();
  return { stdout, stderr };
}

function expectOutput(printed: string, { language, text }: Block, message: string): void {
  if (language === 'text') {
    expect(printed.replaceAll('\r', '').trim(), message).toMatch(patternOf(text.trim()));
    return;
  }
  let actual: unknown;
  try {
    actual = JSON.parse(printed);
  } catch {
    expect.fail(`This is no JSON. ${message}`);
  }
  expect(actual, message).toEqual(matcherOf(JSON.parse(text)));
}

const patternOf = (shown: string): RegExp => new RegExp(`^${shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[\\s\\S]*')}$`);

function matcherOf(shown: unknown): unknown {
  if (shown === '…') return expect.anything();
  if (typeof shown === 'string') return shown.includes('…') ? expect.stringMatching(patternOf(shown)) : shown;
  if (Array.isArray(shown)) return shown.at(-1) === '…' ? expect.arrayContaining(shown.slice(0, -1).map(matcherOf)) : shown.map(matcherOf);
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, matcherOf(value)])));
}
