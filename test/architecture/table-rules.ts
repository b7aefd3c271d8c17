/** Each table has one owner that writes it; who reads tables of others is listed (table-owners.ts). */

import { basename, dirname, join } from 'node:path';
import { isTest, isTool, type Rule, withoutComments } from './import-rules.ts';
import { readModels } from './read-models.ts';
import type { SourceFile } from './source.ts';
import { fragmentFunctions, otherWriters, tableOwners, writesEveryTable } from './table-owners.ts';

const write =
  /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+(?:only\s+)?(\w+)/gi;
const writeByParameter = /\b(?:insert\s+into|update|delete\s+from|truncate|merge\s+into)\s+\$\{/i;
const read = /(?<!\bdelete\s+)\b(?:from|join|using)\s+(?:only\s+)?(\w+)/gi;
/** A fragment that begins with a table's name: `const tables = sql`sessions s join …``. */
const fragment = /\bsql`\s*(\w+)/g;

const isTable = (name: string) => Object.hasOwn(tableOwners, name);
const holdsSql = ({ path }: SourceFile) =>
  /^(server|cli)\//.test(path) && path.endsWith('.ts') && !isTest(path) && !isTool(path);

function folderOf(owner: string): string {
  return owner.startsWith('platform/') ? `server/${owner}/` : `server/features/${owner}/`;
}

const isOwner = (path: string, table: string) => path.startsWith(folderOf(tableOwners[table]!));

function tablesIn(text: string, ...patterns: RegExp[]): string[] {
  const names = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]!));
  return [...new Set(names.filter(isTable))].sort();
}

const oneOwnerWrites: Rule = (file) => {
  if (!holdsSql(file)) return [];
  const text = withoutComments(file.text);
  const listed = otherWriters[file.path] ?? [];
  const foreign = tablesIn(text, write).filter((table) => !isOwner(file.path, table));
  const breaches = foreign
    .filter((table) => !listed.includes(table))
    .map(
      (table) =>
        `writes ${table}, which belongs to ${tableOwners[table]}. Call a function of ${folderOf(tableOwners[table]!)} in the same transaction.`,
    );
  for (const table of listed.filter((one) => !foreign.includes(one))) {
    breaches.push(`writes ${table} no longer: take it out of otherWriters in table-owners.ts.`);
  }
  if (writeByParameter.test(text) && !writesEveryTable.includes(file.path)) {
    breaches.push(
      'writes a table whose name is a parameter. Name the table, so that its writers can be found.',
    );
  }
  return breaches;
};

const readModelsAreListed: Rule = (file) => {
  if (!holdsSql(file)) return [];
  const found = tablesIn(withoutComments(file.text), read, fragment).filter(
    (table) => !isOwner(file.path, table),
  );
  const listed = readModels[file.path] ?? [];
  return [
    ...found
      .filter((table) => !listed.includes(table) && !otherWriters[file.path]?.includes(table))
      .map(
        (table) =>
          `reads ${table}, which belongs to ${tableOwners[table]}. Call a function of that folder, or list the file in readModels of table-owners.ts.`,
      ),
    ...listed
      .filter((table) => !found.includes(table))
      .map((table) => `reads ${table} no longer: take it out of readModels in table-owners.ts.`),
  ];
};

const entryExportsNoSql: Rule = (file, project) => {
  const feature = /^server\/features\/([^/]+)\/([^/]+)\.ts$/.exec(file.path);
  if (!feature || feature[1] !== feature[2]) return [];
  const exported = exportsOf(file).filter(({ name, from }) => {
    const source = from === null ? file : project.find(({ path }) => path === from);
    return source !== undefined && isSql(source.text, name);
  });
  const listed = fragmentFunctions
    .filter((one) => one.startsWith(`${feature[1]}.`))
    .map((one) => one.slice(feature[1]!.length + 1));
  return [
    ...exported
      .filter(({ name }) => !listed.includes(name))
      .map(
        ({ name }) =>
          `exports ${name}, which is SQL. Export a function that runs the statement; only fragmentFunctions of table-owners.ts may be composed.`,
      ),
    ...listed
      .filter((name) => !exported.some((one) => one.name === name))
      .map((name) => `exports no SQL called ${name}: take it out of fragmentFunctions in table-owners.ts.`),
  ];
};

const exportList = /^export \{([^}]*)\}(?: from '([^']+)')?/gm;
const exportedHere = /^export (?:const|function) (\w+)/gm;

function exportsOf({ path, text }: SourceFile): { name: string; from: string | null }[] {
  const lists = [...text.matchAll(exportList)].flatMap(([, names, from]) =>
    names!
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '' && !part.startsWith('type '))
      .map((part) => ({
        name: part.split(' as ')[0]!,
        from: from === undefined ? null : join(dirname(path), from),
      })),
  );
  return [...lists, ...[...text.matchAll(exportedHere)].map(([, name]) => ({ name: name!, from: null }))];
}

/** A constant that is a fragment, or a function that returns one. */
function isSql(text: string, name: string): boolean {
  const declared = new RegExp(
    `^export (?:const|function) ${name}\\b[\\s\\S]*?(?=^export |^\\}|;$|(?![\\s\\S]))`,
    'm',
  );
  const found = declared.exec(text)?.[0] ?? '';
  return (
    /^export const \w+(?:: Sql)? =\s*sql`/.test(found) ||
    /\): Sql(?:\[\])? (?:=>|\{)/.test(found) ||
    /\) =>\s*sql`/.test(found)
  );
}

const everyTableHasAnOwner: Rule = ({ path, text }, project) => {
  if (!path.startsWith('migrations/') || basename(path) === 'schema.sql') return [];
  const isDropped = (table: string) =>
    project.some((one) => one.path.startsWith('migrations/') && one.text.includes(`drop table ${table};`));
  return [...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)]
    .map((match) => match[1]!)
    .filter((table) => !isTable(table) && !isDropped(table))
    .map((table) => `creates ${table}, which has no owner: add it to tableOwners in table-owners.ts.`);
};

export const tableRules: Rule[] = [
  oneOwnerWrites,
  readModelsAreListed,
  entryExportsNoSql,
  everyTableHasAnOwner,
];
