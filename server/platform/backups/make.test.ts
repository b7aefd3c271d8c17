import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createKeyPair } from './encryption.ts';
import { makeBackup } from './make.ts';
import type { BackupPlace } from './places/place.ts';

describe('a backup whose place fails', () => {
  let database: TestDatabase;
  let publicKey: string;
  before(async () => {
    database = await createTestDatabase();
    ({ publicKey } = await createKeyPair());
  });
  after(() => database.drop());

  const full = new Error('the place is full');
  const fails: { [when: string]: (content: Readable) => Promise<never> } = {
    'at once': () => Promise.reject(full),
    'after the first piece': async (content) => {
      await once(content, 'readable');
      content.read();
      throw full;
    },
    'while it reads': async (content) => {
      for await (const _ of content) throw full;
      throw new Error('it was empty');
    },
  };
  const placeThat = (write: (content: Readable) => Promise<never>) =>
    ({
      text: 'a test',
      write: (_name: string, content: Readable) => write(content),
    }) as unknown as BackupPlace;

  // The runner reports an error that nobody handles, which would have ended the service.
  for (const [when, write] of Object.entries(fails)) {
    for (const isEncrypted of [false, true]) {
      it(`${when}, ${isEncrypted ? 'encrypted' : 'plain'}: fails, and nothing else does`, async () => {
        const made = makeBackup({
          connection: database.connection,
          cell: 'home',
          files: null,
          place: placeThat(write),
          name: 'test',
          publicKeys: isEncrypted ? [publicKey] : [],
          scratch: null,
          hasManifest: true,
          now: 0,
        });
        await assert.rejects(made, full);
      });
    }
  }
});
