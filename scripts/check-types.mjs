/** Checks the types of all files, and prints the number of files, because tsc prints nothing if there are no errors. */
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';

const COMPILER = 'node_modules/typescript/bin/tsc';
const { stdout, status } = spawnSync(process.execPath, [COMPILER, '--noEmit', '-p', 'tsconfig.json', '--listFiles', '--pretty', 'false'], {
  encoding: 'utf8',
  maxBuffer: 1 << 28,
});
const lines = stdout.trim().split('\n');
const isListed = (line) => line.startsWith('/') || /^[A-Z]:[\\/]/.test(line);
const own = lines.filter((line) => isListed(line) && !/^\.\.|node_modules/.test(relative('', line)));
const problems = lines.filter((line) => /\berror TS\d+/.test(line));

for (const line of lines.filter((text) => !isListed(text))) console.error(line);
console.log(`Types: ${own.length} files, ${problems.length} problems.`);
process.exitCode = status;
