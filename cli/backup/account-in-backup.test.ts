import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chooseInBackup } from './account-in-backup.ts';

const accounts = [
  { id: '01970000-0000-7000-8000-00000000000a', name: 'Branch' },
  { id: '01970000-0000-7000-8000-00000000000b', name: 'Twice' },
  { id: '01970000-0000-7000-8000-00000000000c', name: 'Twice' },
];

it('an account of a backup is chosen by id or name; a name of several is refused with their ids', () => {
  assert.equal(chooseInBackup(accounts, 'Branch'), accounts[0]);
  assert.equal(chooseInBackup(accounts, accounts[2]!.id.toUpperCase()), accounts[2]);
  assert.throws(
    () => chooseInBackup(accounts, 'Twice'),
    /several accounts.*use the id:\n {2}\S+b {2}Twice\n {2}\S+c/,
  );
  assert.throws(() => chooseInBackup(accounts, 'branch'), /no account with the id or name "branch"/);
});
