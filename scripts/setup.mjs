/**
 * Prepares a checkout to run. It installs the packages of package-lock.json if node_modules differs, and builds dist/
 * if a source has changed.
 * It runs before `npm start`, `npm test` and similar commands, on Node 20 or later. It uses no packages, because none
 * may be installed yet.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = [
  'kernel',
  'subgraphs',
  'router',
  'rest-bridge',
  'apps',
  'bench',
  'docs/guide',
  'docs/events.md',
  'docs/permissions.md',
  'docs/saml.md',
  'scripts/bundle.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
];
const STAMP = 'dist/.sources.json';

process.chdir(ROOT);
requireNode();
if (!isInstalled()) install();
repairNode();
build();

function requireNode() {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) return;
  fail(`This needs Node ${OLDEST_NODE} or later to install itself; this is ${process.version}.`);
}

/** Returns whether node_modules matches package-lock.json. npm stores a copy of the lock file in node_modules. */
function isInstalled() {
  const installed = readJson('node_modules/.package-lock.json')?.packages;
  if (!installed) return false;
  return Object.entries(readJson('package-lock.json').packages).every(([path, { version, optional }]) => {
    if (path === '') return true;
    return path in installed ? installed[path].version === version : optional;
  });
}

function install() {
  say('Installing packages (a minute or so, once) …');
  // development packages are needed in production too, because the build uses them
  npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], 'The packages could not be installed.');
}

/**
 * Downloads the program of the package `node` if it is missing. The package downloads this program in an install
 * script, and npm may be configured not to run such scripts.
 */
function repairNode() {
  const program = process.platform === 'win32' ? 'node_modules/node/bin/node.exe' : 'node_modules/node/bin/node';
  if (existsSync(program)) return;
  say('Fetching Node 24 …');
  run(process.execPath, ['installArchSpecificPackage'], 'Node 24 could not be fetched.', { cwd: join(ROOT, 'node_modules/node') });
}

function build() {
  const sources = listSources();
  const stamp = { fingerprint: fingerprint(sources), sources };
  const built = readJson(STAMP);
  if (built?.fingerprint === stamp.fingerprint) return;

  say('Building …');
  // removes the output of sources that no longer exist
  if (built?.sources.some((path) => !sources.includes(path))) rmSync('dist', { recursive: true, force: true });
  npm(['run', 'build', '--silent'], 'The build failed.');
  mkdirSync('dist', { recursive: true });
  writeFileSync(STAMP, JSON.stringify(stamp));
}

function listSources() {
  return SOURCES.filter((path) => existsSync(path)).flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  });
}

function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex');
}

/**
 * Runs npm with the Node program of this process, because on Windows npm is a script that cannot be started by its
 * name.
 */
function npm(args, failure) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) run(process.execPath, [script, ...args], failure);
  else run('npm', args, failure, { shell: process.platform === 'win32' });
}

function run(command, args, failure, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (status !== 0) fail(error ? `${failure} ${error.message}` : failure);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
