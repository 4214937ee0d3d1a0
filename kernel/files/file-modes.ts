import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600];
const PERMISSIONS = 0o777;

/**
 * Removes the permissions of group and others from a folder and its contents: folders get mode 0700, files 0600. Links
 * are not followed. A subfolder is skipped if it already has mode 0700 and `isDone` returns true for it. Returns the
 * paths whose permissions could not be changed, for example because the files belong to another user.
 */
export function closeToOthers(folder: string, isDone: (path: string) => boolean = () => false): string[] {
  const failed: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) failed.push(...setMode(path, FILE_MODE));
    else if (entry.isDirectory() && !(isDone(path) && hasMode(path, FOLDER_MODE))) failed.push(...closeToOthers(path, isDone));
  }
  // the folder is changed last: if it has mode 0700, its contents have been changed too
  return [...failed, ...setMode(folder, FOLDER_MODE)];
}

const hasMode = (path: string, mode: number): boolean => (lstatSync(path).mode & PERMISSIONS) === mode;

function setMode(path: string, mode: number): string[] {
  try {
    if (!hasMode(path, mode)) chmodSync(path, mode);
    return [];
  } catch (error) {
    // a file that was deleted during the check, such as a temporary file of the database, needs no change
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [path];
  }
}
