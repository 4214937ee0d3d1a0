import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600];
const PERMISSIONS = 0o777;

/**
 * Takes the rights of everybody but the owner from a folder and what is in it: folders 0700, files 0600. Links are not followed.
 * `isDone` names folders that need no look into them because they are closed to others already. Returns what could not be changed,
 * as where the folder belongs to another user.
 */
export function closeToOthers(folder: string, isDone: (path: string) => boolean = () => false): string[] {
  const failed: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) failed.push(...setMode(path, FILE_MODE));
    else if (entry.isDirectory() && !(isDone(path) && hasMode(path, FOLDER_MODE))) failed.push(...closeToOthers(path, isDone));
  }
  // last, so that one that is closed shows that all in it is
  return [...failed, ...setMode(folder, FOLDER_MODE)];
}

const hasMode = (path: string, mode: number): boolean => (lstatSync(path).mode & PERMISSIONS) === mode;

function setMode(path: string, mode: number): string[] {
  try {
    if (!hasMode(path, mode)) chmodSync(path, mode);
    return [];
  } catch (error) {
    // a file that was there a moment ago, such as one of the database, is nobody's to read
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [path];
  }
}
