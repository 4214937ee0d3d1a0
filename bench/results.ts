import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const FILE = 'bench/results.md';

interface Section {
  title: string;
  text: string;
}

/** The results of one command. They are printed immediately and written to bench/results.md. */
export class Results {
  readonly #sections: Section[] = [];

  constructor(private readonly command: string) {}

  /** `title` starts with the letter of its measurement, such as `(a)`. */
  add(title: string, about: string, rows: readonly object[]): void {
    this.#sections.push({ title, text: `## ${title}\n\n${about}\n\n${table(rows)}\n` });
    process.stdout.write(`\n${title}\n`);
    console.table(rows);
  }

  /** Writes the results to the file. They replace the sections with the same letters; all other sections are kept. */
  write(): void {
    const letters = new Set(this.#sections.map(({ title }) => letterOf(title)));
    const kept = existingSections().filter(({ title }) => !letters.has(letterOf(title)));
    const machine = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
    const [first] = this.#sections;
    if (first) first.text = first.text.replace('\n\n', `\n\nBy \`${this.command}\`, in one run on ${machine}.\n\n`);
    // the sort is stable: sections with the same letter keep their order
    const sections = [...kept, ...this.#sections].sort((one, other) => letterOf(one.title).localeCompare(letterOf(other.title)));
    const head =
      '# Measured\n\nEach section was measured in one run of its command, on one machine. On another machine, only the ratios are comparable.\n';
    writeFileSync(FILE, [head, ...sections.map(({ text }) => text)].join('\n'));
  }
}

const letterOf = (title: string): string => /^\(\w\)/.exec(title)?.[0] ?? '';

/** Returns the sections that bench/results.md contains before this run changes the file. */
function existingSections(): Section[] {
  if (!existsSync(FILE)) return [];
  const [, ...parts] = readFileSync(FILE, 'utf8').split(/^## /m);
  return parts.map((part) => ({ title: part.split('\n', 1)[0] ?? '', text: `## ${part.trimEnd()}\n` }));
}

function table(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {});
  return [
    `| ${names.join(' | ')} |`,
    `| ${names.map(() => '---').join(' | ')} |`,
    ...rows.map((row) => `| ${Object.values(row).join(' | ')} |`),
  ].join('\n');
}
