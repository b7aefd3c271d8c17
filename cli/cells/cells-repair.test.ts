import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cellOfAccount } from '../../server/platform/cells/directory.ts';
import { moveAccount } from '../../server/platform/cells/move/move.ts';
import { listAccount } from '../../server/platform/cells/repair.sql.ts';
import { beginRepair, type Difference } from '../../server/platform/cells/repair.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { runInProcess, settingsOf } from '../../test/support/cli.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';

const absent = '01890000-0000-7000-8000-000000000001';

describe('cells repair', () => {
  let service: TestService;
  let run: (...args: string[]) => ReturnType<typeof runInProcess>;
  before(async () => {
    service = await startTestService({ cells: ['eu2'] });
    const settings = settingsOf(service);
    run = (...args) => runInProcess(args, settings);
    for (let made = 0; made < 3; made++) await service.createAccount();
  });
  after(() => service.close());

  const list = async () => {
    const { stdout } = await run('cells', '--json');
    return JSON.parse(stdout) as { name: string; accounts: number }[];
  };

  it('corrects the directory of an older home cell', async () => {
    const own = await service.createAccount();
    const home = service.context.db;
    const eu2 = service.contextOf('eu2').db;
    const placed = (await list()).find(({ name }) => name === 'eu2')!.accounts;
    const agreed = await run('cells', 'repair', '--apply');
    assert.equal(agreed.code, 0, agreed.stderr);
    assert.equal((await run('cells', 'repair')).code, 0);
    // As before the accounts of eu2 were created, and with one that was removed since.
    await home.autocommit(sql`delete from cell_accounts`);
    const [{ email }] = (await eu2.query<{ email: string }>(sql`select email from users limit 1`)) as [
      { email: string },
    ];
    await home.autocommit(sql`delete from cell_emails where email <> ${email}`);
    await home.autocommit(sql`update cell_emails set account_id = ${own.accountId}`);
    await home.autocommit(sql`delete from cell_channels`);
    await home.autocommit(sql`
      insert into cell_accounts (account_id, cell, placed_at)
      values (${absent}, 'eu2', now() - interval '1 day')`);

    const found = await run('cells', 'repair', '--json');
    assert.equal(found.code, 1);
    const { differences, fixed } = JSON.parse(found.stdout);
    assert.equal(fixed, 0);
    const messages: string[] = differences.map(({ message }: { message: string }) => message);
    const [{ users }] = (await eu2.query<{ users: number }>(
      sql`select count(*)::int as users from users`,
    )) as [{ users: number }];
    assert.equal(
      messages.filter((text) => /is in eu2, the directory does not know it/.test(text)).length,
      placed,
    );
    assert.equal(messages.filter((text) => text.includes(absent)).length, 1);
    assert.equal(differences.filter(({ kind }: { kind: string }) => kind === 'email').length, users);
    assert.equal((await list()).find(({ name }) => name === 'eu2')!.accounts, 1, 'nothing was changed');

    const applied = await run('cells', 'repair', '--apply');
    assert.equal(applied.code, 0, applied.stderr);
    assert.match(applied.stderr, new RegExp(`${messages.length} differences corrected`));
    assert.equal((await list()).find(({ name }) => name === 'eu2')!.accounts, placed);
    assert.match((await run('cells', 'repair')).stderr, /The directory agrees with the cells/);
  });

  describe('beside a move', () => {
    const home = () => service.context.db;
    const cells = () => ['home', 'eu2'].map((name) => ({ name, db: service.contextOf(name).db }));
    const placeOf = ({ accountId }: { accountId: string }) => cellOfAccount(home(), accountId);
    const otherOf = (cell: string) => (cell === 'home' ? 'eu2' : 'home');
    const enter = (accountId: string, cell: string) =>
      home().transaction((tx) => listAccount(tx, accountId, cell));

    it('leaves the account alone, and says so', async () => {
      const own = await service.createAccount();
      const place = await placeOf(own);
      await enter(own.accountId, otherOf(place));
      await home().autocommit(sql`
        insert into account_moves (id, account_id, from_cell, to_cell)
        values (gen_random_uuid(), ${own.accountId}, ${otherOf(place)}, ${place})`);
      const { code, stdout } = await run('cells', 'repair', '--apply');
      assert.equal(code, 1);
      assert.equal(stdout.split(own.accountId).length, 2, 'named once');
      assert.ok(stdout.includes(`account ${own.accountId} is being moved`), stdout);
      assert.equal(await placeOf(own), otherOf(place), 'its entry is the move’s');
      await home().autocommit(
        sql`update account_moves set state = 'abandoned', ended_at = now() where account_id = ${own.accountId}`,
      );
      const again = await run('cells', 'repair', '--apply');
      assert.equal(again.code, 0, again.stderr);
      assert.equal(await placeOf(own), place);
    });

    it('does not undo a move that ends after the places were compared', async () => {
      const [moved, still] = [await service.createAccount(), await service.createAccount()];
      const [from, place] = [await placeOf(moved), await placeOf(still)];
      for (const [{ accountId }, cell] of [
        [moved, from],
        [still, place],
      ] as const)
        await enter(accountId, otherOf(cell));
      const repair = await beginRepair(cells(), true);
      const found: Difference[] = [];
      for await (const one of repair.differences()) found.push(one);
      await enter(moved.accountId, from);
      const dbOf = (cell: string) => service.contextOf(cell).db;
      await moveAccount({ home: home(), dbOf, accountId: moved.accountId, to: otherOf(from) });
      const ofMoved = found.filter(({ accountIds }) => accountIds.includes(moved.accountId));
      assert.ok(ofMoved.some(({ fix }) => fix !== null));
      assert.equal(await repair.correct(found), found.length - ofMoved.length);
      assert.equal(await placeOf(moved), otherOf(from), 'where it has moved to');
      assert.equal(await placeOf(still), place, 'the others are corrected');
      const again = await run('cells', 'repair');
      assert.equal(again.code, 0, again.stdout);
    });
  });

  it('leaves to people what only they can decide', async () => {
    const home = service.context.db;
    const eu2 = service.contextOf('eu2').db;
    const [{ id, email }] = (await eu2.query<{ id: string; email: string }>(
      sql`select account_id as id, email from users limit 1`,
    )) as [{ id: string; email: string }];
    await home.autocommit(
      sql`update users set email = ${email} where account_id = ${service.admin.accountId}`,
    );
    const { code, stdout, stderr } = await run('cells', 'repair', '--apply');
    assert.equal(code, 1);
    assert.ok(
      stdout.includes(`${email} is a user of account ${id} in eu2 and of account ${service.admin.accountId}`),
    );
    assert.match(stderr, /1 left to you/);
    await home.autocommit(
      sql`update users set email = ${service.admin.email} where account_id = ${service.admin.accountId}`,
    );
  });

  it('notes slugs of help centers again, and names one that two accounts have', async () => {
    const home = service.context.db;
    const eu2 = service.contextOf('eu2').db;
    const [{ id }] = (await eu2.query<{ id: string }>(sql`select id from accounts limit 1`)) as [
      { id: string },
    ];
    await eu2.autocommit(
      sql`insert into help_slugs (account_id, slug) values (${id}, 'alone'), (${id}, 'both')`,
    );
    await home.autocommit(sql`
      insert into help_slugs (account_id, slug) values (${service.admin.accountId}, 'both')`);
    const { code, stdout, stderr } = await run('cells', 'repair', '--apply');
    assert.equal(code, 1);
    assert.match(stderr, /1 left to you/);
    assert.ok(stdout.includes(`the slug both of the help center of account ${id} in eu2`), stdout);
    const noted = await home.query(sql`select slug, account_id as "accountId" from cell_slugs`);
    assert.deepEqual(noted, [{ slug: 'alone', accountId: id }]);
    await home.autocommit(sql`delete from help_slugs`);
    assert.equal((await run('cells', 'repair', '--apply')).code, 0);
    // Claimed by a change that was rolled back, and one that may still commit.
    await home.autocommit(sql`
      insert into cell_slugs (slug, account_id, claimed_at)
      values ('rolled-back', ${id}, now() - interval '1 hour'), ('just-claimed', ${id}, now())`);
    assert.equal((await run('cells', 'repair', '--apply')).code, 0);
    const kept = await home.query<{ slug: string }>(sql`select slug from cell_slugs order by slug`);
    assert.deepEqual(
      kept.map(({ slug }) => slug),
      ['alone', 'both', 'just-claimed'],
    );
  });

  it('reports an account in two cells, and keeps the entry of one that has left a cell', async () => {
    const home = service.context.db;
    const eu2 = service.contextOf('eu2').db;
    const [{ id }] = (await eu2.query<{ id: string }>(sql`select id from accounts limit 1`)) as [
      { id: string },
    ];
    await home.autocommit(sql`
      insert into accounts (id, name, crm_per_minute, crm_per_hour, messages_per_minute, created_at)
      values (${id}, 'Twice', 1, 1, 1, 1)`);
    await home.autocommit(sql`
      insert into cell_accounts (account_id, cell, placed_at) values (${absent}, 'eu2', now() - interval '1 day')`);
    await home.autocommit(sql`
      insert into account_fences (account_id, move_id, holder, state, other_cell)
      values (${absent}, gen_random_uuid(), gen_random_uuid(), 'moved', 'eu2')`);
    const { code, stdout } = await run('cells', 'repair', '--apply');
    assert.equal(code, 1);
    assert.ok(stdout.includes(`account ${id} is in home and eu2, and the directory says eu2`), stdout);
    assert.ok(stdout.includes(`account ${absent} has left a cell`), stdout);
    assert.equal(
      (await home.query(sql`select from cell_accounts where account_id = ${absent}`)).length,
      1,
      'it is not removed',
    );
  });
});
