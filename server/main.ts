/** The entry point. What modules compile to is kept, which saves a third of the next start's processor time. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Not in the temporary folder, where others could plant code. Where it cannot be written, there is none.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/talkboard', import.meta.url)));

const { run } = await import('./run.ts');
await run();
