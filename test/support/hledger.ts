import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe } from 'vitest';

const HLEDGER = process.env.HLEDGER_PATH ?? '/usr/bin/hledger';
const isThere = existsSync(HLEDGER);
if (!isThere && !process.env.CI)
  process.stderr.write(
    `\nNo journal is checked by hledger: there is no ${HLEDGER}. Install Debian's package hledger, or set HLEDGER_PATH.\n`,
  );

/** Skips the tests on a machine without hledger, except in CI, where hledger must be installed. */
export const describeWithHledger = isThere || process.env.CI ? describe : describe.skip;

/** Runs hledger on a journal. Returns its output. @throws Error if hledger finds a problem */
export function hledger(journal: string, ...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(HLEDGER, ['-f', '-', ...args], {
    input: journal,
    encoding: 'utf8',
    env: { LANG: 'C.UTF-8' },
  });
  if (error || status !== 0) throw error ?? new Error(`hledger exited with ${status}: ${stderr}`);
  return stdout;
}
