/** Reads CHANGELOG.md, the only place where releases are described. */
import { readFile } from 'node:fs/promises';
import type { Release } from '../../../contract/releases.ts';

const changelogFile = new URL('../../../CHANGELOG.md', import.meta.url);
let releases: Promise<Release[]> | undefined;

/** The file belongs to the release, so it is read once per process. */
export function listReleases(): Promise<Release[]> {
  releases ??= readFile(changelogFile, 'utf8').then(parseChangelog);
  return releases;
}

/**
 * A release is a heading `## v1.7.232 (2026-11-16)`, a change is a list item below it. An item may continue on
 * indented lines. Everything else, such as `###` headings, is ignored.
 */
export function parseChangelog(text: string): Release[] {
  const found: Release[] = [];
  for (const line of text.split(/\r?\n/)) {
    const heading = /^## (v\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/.exec(line);
    const release = found.at(-1);
    if (heading) {
      found.push({ version: heading[1]!, date: heading[2]!, changes: [] });
    } else if (release && line.startsWith('- ')) {
      release.changes.push(withoutLinks(line.slice(2).trim()));
    } else if (release && release.changes.length > 0 && /^ {2,}\S/.test(line)) {
      release.changes.push(`${release.changes.pop()} ${withoutLinks(line.trim())}`);
    }
  }
  return found.sort((one, other) => build(other) - build(one));
}

/** Links lead to files of the repository, which a client of the API does not have. */
const withoutLinks = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

const build = ({ version }: Release) => Number(version.slice(version.lastIndexOf('.') + 1));
