import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { api } from '../../data/api.ts';
import { reloadBoards, useUsers } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { useSaved } from '../../ui/controls/use-saved.ts';
import { Avatar } from '../../ui/display/avatar.tsx';
import { Badge } from '../../ui/display/badge.tsx';

/** Named members close a board to all other operators; administrators see every board. */
export function MembersSettings({ board }: { board: Kanban }) {
  const users = useUsers();
  const { saved, save } = useSaved(t('boardSettings.failed'));
  const isClosed = board.memberIds.length > 0;
  const put = (userIds: string[]) =>
    save('members', async () => {
      await api('PUT', `/kanbans/${board.id}/members`, { body: { userIds } });
      await reloadBoards();
    });
  const toggle = (id: string, on: boolean) =>
    void put(on ? [...board.memberIds, id] : board.memberIds.filter((one) => one !== id));
  return (
    <>
      <div className="flex items-start justify-between">
        <Switch
          label={t('boardSettings.open')}
          hint={t('boardSettings.openHint')}
          checked={!isClosed}
          // Closed to no one, it would stay open.
          disabled={users.length === 0}
          onChange={(open) =>
            void put(open ? [] : users.filter(({ role }) => role === 'admin').map(({ id }) => id))
          }
        />
        <span aria-live="polite" className="text-sm text-success">
          {saved && t('ui.saved')}
        </span>
      </div>
      {isClosed && (
        <ul className="flex flex-col rounded-panel border border-line">
          {users.map((user) => (
            <li
              key={user.id}
              className="flex h-11 items-center gap-3 border-b border-line px-3 last:border-0"
            >
              <Checkbox
                label={user.name}
                checked={board.memberIds.includes(user.id)}
                onChange={(on) => toggle(user.id, on)}
              />
              <Avatar id={user.id} name={user.name} size="medium" tip={false} />
              <span className="min-w-0 flex-1 truncate">
                {user.name} <span className="text-muted">{user.email}</span>
              </span>
              {user.role === 'admin' && <Badge>{t('boardSettings.admin')}</Badge>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
