import { useState } from 'react';
import type { Kanban, KanbanUpdate } from '../../../../contract/kanbans.ts';
import { api } from '../../data/api.ts';
import { reloadBoards } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { CopyField } from '../../ui/controls/copy-field.tsx';
import { Field, Input, TextArea } from '../../ui/controls/input.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { useSaved } from '../../ui/controls/use-saved.ts';

export function GeneralSettings({ board }: { board: Kanban }) {
  const [name, setName] = useState(board.name);
  const [description, setDescription] = useState(board.description);
  const { saved, save } = useSaved(t('boardSettings.failed'));
  const put = (field: string, change: KanbanUpdate) =>
    save(field, async () => {
      await api('PATCH', `/kanbans/${board.id}`, { body: change });
      await reloadBoards();
    });
  return (
    <>
      <Field label={t('boardSettings.name')} saved={saved === 'name'}>
        {(ids) => (
          <Input
            {...ids}
            value={name}
            maxLength={255}
            onChange={(event) => setName(event.target.value)}
            onBlur={() => {
              if (!name.trim()) setName(board.name);
              else if (name.trim() !== board.name) void put('name', { name: name.trim() });
            }}
          />
        )}
      </Field>
      <Field
        label={t('boardSettings.description')}
        hint={t('boardSettings.descriptionHint')}
        saved={saved === 'description'}
      >
        {(ids) => (
          <TextArea
            {...ids}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
            onBlur={() => description !== board.description && void put('description', { description })}
          />
        )}
      </Field>
      <Switch
        label={t('boardSettings.default')}
        hint={t('boardSettings.defaultHint')}
        checked={board.isDefault}
        disabled={board.isDefault}
        onChange={(on) => on && void put('default', { isDefault: true })}
      />
      <div className="flex flex-col gap-1">
        <span className="font-medium">{t('boardSettings.id')}</span>
        <CopyField value={board.id} label={t('ui.copy')} />
      </div>
    </>
  );
}
