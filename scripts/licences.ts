/** `npm run -s licences`: fails if a package of the lock file has a licence that is not allowed. Needs no network. */
import { checkLicences } from './licences.rules.ts';
import { readPackages } from './lock-file.ts';

const { problems, counts } = checkLicences([...readPackages().all.values()]);
const lines = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
for (const [licence, count] of lines) console.log(`${String(count).padStart(5)}  ${licence}`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('See docs/supply-chain.md. The list of allowed licences is in scripts/licences.rules.ts.');
  process.exitCode = 1;
}
