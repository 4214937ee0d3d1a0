/**
 * Checks the sources and the folder table of docs/architecture.md against scripts/import-rules.mjs.
 * It also checks these rules:
 * - Every imported file exists.
 * - The suffix of a file is a known kind.
 * - Imported packages are declared in package.json, and declared dependencies are imported.
 * - Neither files nor folders import each other in a cycle at run time.
 * dependency-cruiser is the usual tool, but it reads TypeScript through the compiler's API, which TypeScript 7 does not
 * have yet.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, normalize } from 'node:path';
import { backwards, folders, kinds, rules } from './import-rules.mjs';

const FOLDERS = Object.keys(folders);
const ARCHITECTURE = 'docs/architecture.md';
const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;
/** Declared dependencies that no file imports, with the reason why they are needed. */
const NOT_IMPORTED = { node: 'its program runs the npm scripts', 'dejavu-fonts-ttf': 'pdf-writer.ts reads its font files' };
const TESTS = /^(test|bench)\/|[.]test[.]ts$/;
/** Files that may import development packages: tests, benchmarks, and files that run only at build time. */
const DEVELOPMENT = /^(test|bench)\/|[.](test|build)[.]ts$/;

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const files = FOLDERS.filter((folder) => existsSync(folder)).flatMap(filesIn);
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const problems = [
  ...forbiddenFolders(),
  ...wrongTable(),
  ...brokenRules(),
  ...unresolved(),
  ...misnamed(),
  ...undeclared(),
  ...unused(),
  ...fileCycles(),
  ...folderCycles(),
];

for (const problem of problems) console.error(`${problem}\n`);
const count = [...imports.values()].reduce((sum, list) => sum + list.length, 0);
console.log(`Import rules: ${files.length} files, ${count} imports, ${problems.length} problems.`);
process.exitCode = problems.length > 0 ? 1 : 0;

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts')).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Returns the imports of a file. `target` is a path from the root of the repository, or `package:` followed by a name.
 */
function importsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(STATEMENT)].map(([, type, first, dynamic]) => {
    const specifier = first ?? dynamic;
    const isFile = specifier.startsWith('.');
    return { isType: type !== undefined, isFile, target: isFile ? normalize(join(dirname(file), specifier)) : `package:${specifier}` };
  });
}

function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function folderOf(path) {
  return path.split('/', 1)[0];
}

function* forbiddenFolders() {
  for (const [file, list] of imports) {
    const folder = folderOf(file);
    const { may, why } = folders[folder];
    for (const { isFile, target } of list) {
      const other = folderOf(target);
      if (isFile && other !== folder && !may.includes(other))
        yield `${file} imports ${target}: ${folder}/ may import ${may.join(', ') || 'nothing but itself'}.\n  ${why}`;
    }
  }
}

/**
 * Yields errors in the folder table of docs/architecture.md. Each row contains a folder, its content, and the folders
 * that it may import.
 */
function* wrongTable() {
  const rows = readFileSync(ARCHITECTURE, 'utf8').matchAll(/^\| `([\w-]+)\/[^`]*` \|.*\| (.*) \|$/gm);
  const listed = new Map([...rows].map(([, folder, may]) => [folder, [...may.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)]));
  for (const [folder, { may }] of Object.entries(folders)) {
    const shown = listed.get(folder);
    if (shown?.toSorted().join() !== may.toSorted().join())
      yield `${ARCHITECTURE} shows that ${folder}/ may import ${shown?.join(', ') || 'nothing'}; scripts/import-rules.mjs says ${may.join(', ') || 'nothing'}.\n  Correct the wrong list.`;
  }
}

function* brokenRules() {
  for (const { name, from, to, except, why } of rules) {
    for (const [file, list] of imports) {
      const match = from.exec(file);
      if (!match) continue;
      const fill = (pattern) => new RegExp(pattern.replace(/\$(\d)/g, (_, index) => match[index]));
      for (const { target } of list) {
        if (fill(to).test(target) && !(except && fill(except).test(target))) yield `${file} imports ${target}: ${name}.\n  ${why}`;
      }
    }
  }
}

function* unresolved() {
  for (const [file, list] of imports) {
    for (const { isFile, target } of list) if (isFile && !existsSync(target)) yield `${file} imports ${target}, which does not exist.`;
  }
}

/**
 * Yields files with a wrong name. A dotted suffix states the kind of a file. The name of a unit test is the whole name
 * of the tested file, followed by `.unit.test`.
 */
function* misnamed() {
  for (const file of files) {
    const words = basename(file, '.ts')
      .replace(/([.]unit)?[.]test$/, '')
      .split('.');
    if (words.length > 2 || !words.slice(1).every((word) => Object.hasOwn(kinds, word)))
      yield `${file}: .${words.slice(1).join('.')} is not a known kind of file.\n  Join the words of a name with hyphens (ticket-search.ts), or use a kind that scripts/import-rules.mjs lists (kinds).`;
  }
}

function* undeclared() {
  const shipped = new Set(Object.keys(manifest.dependencies));
  const all = new Set([...shipped, ...Object.keys(manifest.devDependencies)]);
  for (const [file, list] of imports) {
    for (const { isFile, isType, target } of list) {
      const specifier = target.slice('package:'.length);
      if (isFile || isBuiltin(specifier)) continue;
      const name = packageOf(specifier);
      const declared = DEVELOPMENT.test(file) || isType ? all.has(name) || all.has(`@types/${name}`) : shipped.has(name);
      if (!declared)
        yield `${file} imports ${name}, which package.json does not list among its ${DEVELOPMENT.test(file) ? 'packages' : 'dependencies'}.\n  A package that is installed only because another package needs it can disappear.`;
    }
  }
}

function* unused() {
  const imported = new Set(
    [...imports.values()].flat().map(({ isFile, target }) => (isFile ? '' : packageOf(target.slice('package:'.length)))),
  );
  for (const name of Object.keys(manifest.dependencies)) {
    if (!imported.has(name) && !(name in NOT_IMPORTED))
      yield `package.json lists ${name}, which nothing imports.\n  Remove it, and its line in docs/dependencies.md.`;
  }
}

function* fileCycles() {
  const neededBy = (file) =>
    imports
      .get(file)
      ?.filter(({ isType, isFile }) => isFile && !isType)
      .map(({ target }) => target) ?? [];
  for (const path of cycles(files, neededBy))
    yield `${path.join(' → ')}: a cycle.\n  Merge the files, or move the code that they share into another file.`;
}

function* folderCycles() {
  const unneeded = new Set(backwards);
  /** For each pair of nodes with an import between them, one import as an example. `nodeOf` explains the nodes. */
  const examples = new Map();
  for (const [file, list] of imports) {
    if (TESTS.test(file)) continue;
    for (const { isType, isFile, target } of list) {
      if (!isFile || isType || domainOf(file) !== domainOf(target) || nodeOf(file) === nodeOf(target)) continue;
      const listed = backwards.find(({ from, to }) => from.test(file) && to.test(target));
      unneeded.delete(listed);
      if (listed) continue;
      const from = nodeOf(file);
      if (!examples.has(from)) examples.set(from, new Map());
      if (!examples.get(from).has(nodeOf(target))) examples.get(from).set(nodeOf(target), `${file} imports ${target}`);
    }
  }
  const neededBy = (node) => [...(examples.get(node)?.keys() ?? [])];
  for (const path of cycles([...examples.keys()], neededBy)) {
    const steps = path.slice(1).map((node, index) => `\n    ${examples.get(path[index]).get(node)}`);
    yield `${path.join(' → ')}: a cycle of folders.${steps.join('')}\n  Move the shared code into the lower folder or into a new folder. An exception is listed in scripts/import-rules.mjs (backwards).`;
  }
  for (const { from, to } of unneeded)
    yield `scripts/import-rules.mjs lists imports from ${from} to ${to} (backwards), but there are none.`;
}

/** Returns the domain of a file. If the file belongs to no domain, returns its top-level folder. */
function domainOf(file) {
  return file.split('/', folderOf(file) === 'subgraphs' ? 2 : 1).join('/');
}

/**
 * Returns the node of a file in the import graph. The node is a direct subfolder of the domain or top-level folder. A
 * file outside of the subfolders is its own node.
 */
function nodeOf(file) {
  const domain = domainOf(file);
  return `${domain}/${file.slice(domain.length + 1).split('/', 1)[0]}`;
}

/** Yields a path for each node that can be reached from itself. The path begins and ends with that node. */
function* cycles(nodes, neededBy) {
  const done = new Set();
  const path = [];
  function* visit(node) {
    const start = path.indexOf(node);
    if (start >= 0) yield [...path.slice(start), node];
    if (start >= 0 || done.has(node)) return;
    path.push(node);
    for (const next of neededBy(node)) yield* visit(next);
    path.pop();
    done.add(node);
  }
  for (const node of nodes) yield* visit(node);
}
