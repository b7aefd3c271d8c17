import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import {
  absentId,
  assertBadRequest,
  assertConflict,
  assertNotFound,
  color,
  createKanban,
  createRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('managing kanbans', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const list = async (query = ''): Promise<{ items: Kanban[]; nextToken: string | null }> => {
    const answer = await service.call('GET', `/kanbans${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const patch = (id: string, body: object) => service.call('PATCH', `/kanbans/${id}`, { body });

  describe('creating', () => {
    it('only a name gives three statuses, the system fields Phone and E-mail, and the last place', async () => {
      const others = (await list('?limit=100')).items;
      const made = await createKanban(service, { name: '  Only a name  ' });
      assert.equal(made.name, 'Only a name');
      assert.equal(made.description, '');
      assert.equal(made.statuses.length, 3);
      assert.ok(others.every((kanban) => kanban.order < made.order));
      const fields = made.fields.map(({ name, type, isSystem, order }) => ({ name, type, isSystem, order }));
      assert.deepEqual(fields, [
        { name: 'Phone', type: 'phone', isSystem: true, order: 0 },
        { name: 'E-mail', type: 'email', isSystem: true, order: 1 },
      ]);
      const { body } = await service.call('GET', `/crm/fields?kanbanId=${made.id}`);
      assert.deepEqual(body.fields[0].boundToChannels, [], 'no channel of these types exists yet');
      assert.deepEqual(body.fields[0].channelBindings, ['chatapp', 'chatapp_byot', 'chatapp_no', 'sms']);
      assert.deepEqual(body.fields[1].boundToChannels, []);
    });

    it('everything given is kept, statuses and fields in their order', async () => {
      const statuses = [
        { value: 'lead', label: 'Lead', color: '#AABBCC' },
        { value: 'won', label: 'Won', color: '#000000' },
      ];
      const made = await createKanban(service, {
        name: 'Everything',
        slug: 'all-of-it',
        description: 'd',
        order: -3,
        statuses,
        fields: [
          { name: 'Size', type: 'select', options: ['S', 'M'], description: 'how big' },
          { name: 'Note', type: 'textarea' },
        ],
      });
      assert.equal(made.slug, 'all-of-it');
      assert.equal(made.order, -3);
      assert.deepEqual(made.statuses, statuses);
      const [, , size, note] = made.fields;
      assert.deepEqual(
        { ...size, id: '' },
        {
          id: '',
          name: 'Size',
          type: 'select',
          description: 'how big',
          options: ['S', 'M'],
          order: 2,
          isSystem: false,
          groupId: null,
        },
      );
      assert.equal(note?.order, 3);
      assert.equal(note && 'options' in note, false, 'options only on select types');
    });

    it('slugs are made from the name, of a-z0-9- only, unique by a number', async () => {
      const slugs = async (...names: string[]) => {
        const made: string[] = [];
        for (const name of names) made.push((await createKanban(service, { name })).slug);
        return made;
      };
      assert.deepEqual(await slugs('São Paulo & Côte', 'Sao Paulo Cote', 'SAO-PAULO-COTE'), [
        'sao-paulo-cote',
        'sao-paulo-cote-2',
        'sao-paulo-cote-3',
      ]);
      for (const slug of await slugs('日本', '!!!', '-- x --', 'ß', 'a'.repeat(255))) {
        assert.match(slug, /^[a-z0-9-]+$/);
      }
    });

    it('409 for a slug that another board has, 400 for one of other characters', async () => {
      const made = await createKanban(service);
      assertConflict(
        await service.call('POST', '/kanbans', { body: { name: 'X', slug: made.slug } }),
        /slug/,
      );
      for (const slug of ['', 'Upper', 'a b', 'ä', 'a/b', 'a_b']) {
        assertBadRequest(await service.call('POST', '/kanbans', { body: { name: 'X', slug } }), /^slug/);
      }
    });

    it('400 that names what is missing or wrong, and nothing is created', async () => {
      const { items } = await list('?limit=100');
      const cases: [unknown, RegExp][] = [
        [{}, /^name is required$/],
        [{ name: '  ' }, /^name is required$/],
        [{ name: 5 }, /^name must be a string$/],
        [{ name: 'x'.repeat(256) }, /^name must have at most 255/],
        [{ name: 'x', statuses: [] }, /^statuses must have at least 1 item$/],
        [{ name: 'x', statuses: [{ label: 'A' }] }, /^statuses\[0\]\.color is required$/],
        [{ name: 'x', statuses: [{ label: 'A', color: 'red' }] }, /^statuses\[0\]\.color/],
        [{ name: 'x', statuses: [{ label: 'A', color: '#fff' }] }, /^statuses\[0\]\.color/],
        [{ name: 'x', statuses: [{ color }] }, /^statuses\[0\]\.label is required$/],
        [{ name: 'x', statuses: [{ label: ' ', color }] }, /^statuses\[0\]\.label is required$/],
        [{ name: 'x', fields: [{ name: 'F', type: 'colour' }] }, /^fields\[0\]\.type must be one of text,/],
        [{ name: 'x', fields: [{ type: 'text' }] }, /^fields\[0\]\.name is required$/],
        [{ name: 'x', fields: [{ name: 'F', type: 'select' }] }, /^fields\[0\]\.options/],
        [{ name: 'x', fields: [{ name: 'F', type: 'text', groupId: absentId }] }, /^fields\[0\]\.groupId/],
        [{ name: 'x', order: 1.5 }, /^order must be a whole number$/],
        [{ name: 'x', order: 3_000_000_000 }, /^order must be at most/],
        [{ name: 'x', isDefault: 'yes' }, /^isDefault must be true or false$/],
        [[], /^body must be a JSON object$/],
      ];
      for (const [body, message] of cases) {
        assertBadRequest(await service.call('POST', '/kanbans', { body }), message);
      }
      assert.deepEqual((await list('?limit=100')).items, items);
    });

    it('the last place is still free when another board took the highest order there is', async () => {
      const other = await service.createAccount();
      const make = (body: object) => service.call('POST', '/kanbans', { token: other.token, body });
      assert.equal((await make({ name: 'Last', order: 2_147_483_647 })).status, 201);
      assert.equal((await make({ name: 'After it' })).status, 201);
    });
  });

  describe('changing', () => {
    it('only what is supplied changes, and updatedAt moves', async () => {
      const made = await createKanban(service, { name: 'Before', description: 'kept' });
      const { status, body } = await patch(made.id, { name: ' After ', order: 99 });
      assert.equal(status, 200);
      assert.deepEqual(body, { ...made, name: 'After', order: 99, updatedAt: body.updatedAt });
      assert.ok(body.updatedAt >= made.updatedAt);
      assert.deepEqual((await service.call('GET', `/kanbans/${made.id}`)).body, body);
    });

    it('renaming keeps the slug; the slug changes only when it is named', async () => {
      const made = await createKanban(service, { name: 'Old name' });
      assert.equal((await patch(made.id, { name: 'New name' })).body.slug, made.slug);
      assert.equal((await patch(made.id, { slug: 'a-new-slug' })).body.slug, 'a-new-slug');
      assertNotFound(await service.call('GET', `/kanbans/${made.slug}`));
      assertConflict(await patch((await createKanban(service)).id, { slug: 'a-new-slug' }), /slug/);
    });

    it('making another board the default leaves exactly one default', async () => {
      const defaults = async () => (await list('?limit=100')).items.filter((kanban) => kanban.isDefault);
      const [former] = await defaults();
      const patched = await createKanban(service);
      assert.equal((await patch(patched.id, { isDefault: true })).body.isDefault, true);
      assert.deepEqual(
        (await defaults()).map((kanban) => kanban.id),
        [patched.id],
      );
      const created = await createKanban(service, { isDefault: true });
      assert.deepEqual(
        (await defaults()).map((kanban) => kanban.id),
        [created.id],
      );
      const record = await service.call('POST', '/crm/records', { body: { title: 'On the new default' } });
      assert.equal(record.body.kanbanId, created.id);
      await patch(former!.id, { isDefault: true });
    });

    it('409 for taking the default away without naming another', async () => {
      const [former] = (await list('?limit=100')).items.filter((kanban) => kanban.isDefault);
      assertConflict(await patch(former!.id, { isDefault: false }), /default/);
      assert.equal((await service.call('GET', `/kanbans/${former!.id}`)).body.isDefault, true);
    });

    it('two boards made the default at once leave exactly one default', async () => {
      const boards = await Promise.all(Array.from({ length: 8 }, () => createKanban(service)));
      const answers = await Promise.all(boards.map((kanban) => patch(kanban.id, { isDefault: true })));
      assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
      const { items } = await list('?limit=100');
      assert.equal(items.filter((kanban) => kanban.isDefault).length, 1);
    });

    it('400 for a blank name, 404 for an unknown board', async () => {
      const made = await createKanban(service);
      assertBadRequest(await patch(made.id, { name: ' ' }), 'name is required');
      assertNotFound(await patch(absentId, { name: 'X' }), 'kanban not found');
      assertNotFound(await patch('no-id', { name: 'X' }), 'kanban not found');
    });
  });

  describe('deleting', () => {
    it('200 with a message, and the board is gone with its fields', async () => {
      const made = await createKanban(service);
      const { status, body } = await service.call('DELETE', `/kanbans/${made.id}`);
      assert.equal(status, 200);
      assert.equal(typeof body.message, 'string');
      assertNotFound(await service.call('GET', `/kanbans/${made.id}`));
      assertNotFound(await service.call('DELETE', `/kanbans/${made.id}`));
      assertNotFound(
        await service.call('POST', `/crm/records?kanbanId=${made.id}`, { body: { title: 'X' } }),
        'kanban not found',
      );
    });

    it('409 while it has records', async () => {
      const made = await createKanban(service);
      const record = await createRecord(service, made.id);
      assertConflict(await service.call('DELETE', `/kanbans/${made.id}`), /records/);
      await service.call('DELETE', `/crm/records/${record.recordId}`);
      assert.equal((await service.call('DELETE', `/kanbans/${made.id}`)).status, 200);
    });

    it('409 for the default one', async () => {
      const [first] = (await list('?limit=100')).items.filter((kanban) => kanban.isDefault);
      assertConflict(await service.call('DELETE', `/kanbans/${first!.id}`), /default/);
    });
  });
});
