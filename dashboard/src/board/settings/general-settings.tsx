import { useState } from 'react';
import type { Kanban, KanbanUpdate } from '../../../../contract/crm/kanbans.ts';
import { api } from '../../data/api.ts';
import { reloadBoards } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { CopyField } from '../../ui/controls/copy-field.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
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
      <TextField
        label={t('boardSettings.name')}
        saved={saved === 'name'}
        value={name}
        maxLength={255}
        onChange={setName}
        onBlur={() => {
          if (!name.trim()) setName(board.name);
          else if (name.trim() !== board.name) void put('name', { name: name.trim() });
        }}
      />
      <TextField
        label={t('boardSettings.description')}
        hint={t('boardSettings.descriptionHint')}
        saved={saved === 'description'}
        lines={{ min: 2, max: 12 }}
        value={description}
        onChange={setDescription}
        onBlur={() => description !== board.description && void put('description', { description })}
      />
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
