import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import type { Json } from '../tenant.ts';

/** The contents of a .tar.gz file. */
export interface Unpacked {
  /** Names of the files in the archive. */
  names: string[];
  /** The records by the name of their table, such as `support/ticket`. */
  records: Map<string, Json[]>;
  manifest: Json;
  read(name: string): Buffer;
}

export function unpack(archive: Buffer): Unpacked {
  const folder = scratchFolder();
  const content = join(folder, 'content');
  mkdirSync(content);
  writeFileSync(join(folder, 'archive.tar.gz'), archive);
  execFileSync('tar', ['-xzf', join(folder, 'archive.tar.gz'), '-C', content]);
  const names = (
    readdirSync(content, { recursive: true, withFileTypes: true }) as { name: string; parentPath: string; isFile(): boolean }[]
  )
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(content.length + 1))
    .sort();
  const read = (name: string): Buffer => readFileSync(join(content, name));
  const records = new Map<string, Json[]>();
  for (const name of names.filter((one) => one.startsWith('records/'))) {
    const table = name.split('/').slice(1, 3).join('/');
    const lines = read(name).toString().trimEnd().split('\n');
    records.set(table, [...(records.get(table) ?? []), ...lines.map((line) => JSON.parse(line))]);
  }
  return { names, records, manifest: JSON.parse(read('manifest.json').toString()), read };
}
