import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Kanban, StatusInput } from '../../../../contract/crm/kanbans.ts';
import { limits } from '../../../../contract/limits.ts';
import { api, inTurn } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { keys, reloadBoards } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { statusColors } from '../../ui/hues.ts';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

interface Row extends StatusInput {
  key: string;
}

/** The whole list is saved at once, because the service keeps it as one. */
export function StatusesSettings({ board }: { board: Kanban }) {
  /** What is being changed; null: nothing, and the list of the board is shown, also when others change it. */
  const [draft, setDraft] = useState<Row[] | null>(null);
  const [inUse, setInUse] = useState<Row[] | null>(null);
  const changes = useRef(0);
  /** By the key of a row that was added here: the value that the service has given it. */
  const given = useRef(new Map<string, string>());
  const rows = draft ?? board.statuses.map((status) => ({ ...status, key: status.value }));
  const setRows = (next: Row[]) => {
    changes.current++;
    setDraft(isSame(next, board.statuses) ? null : next);
  };

  const save = async (next: Row[], moveTo?: string) => {
    const statuses = next.map(({ key, value = given.current.get(key), label, color }) => ({
      ...(value && { value }),
      label: label.trim(),
      color,
    }));
    const saved = await api<Kanban>('PUT', `/kanbans/${board.id}/statuses`, {
      body: { statuses, ...(moveTo && { moveTo }) },
    });
    for (const [index, { value }] of saved.statuses.entries()) given.current.set(next[index]!.key, value);
    await Promise.all([
      reloadBoards(),
      moveTo && queryClient.invalidateQueries({ queryKey: keys.board(board.id) }),
    ]);
  };
  const put = async (next: Row[], moveTo?: string) => {
    setRows(next);
    if (next.some((row) => !row.label.trim())) return;
    const mine = changes.current;
    try {
      await inTurn(`statuses of ${board.id}`, () => save(next, moveTo));
      if (moveTo) setInUse(null);
      toast.done(t('boardSettings.statusesSaved'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setInUse(next);
      else toast.failed(t('boardSettings.failed'), error, () => void put(next, moveTo));
    }
    // What was changed meanwhile stays.
    if (changes.current === mine) setDraft(null);
  };
  const edit = (key: string, change: Partial<Row>) =>
    rows.map((row) => (row.key === key ? { ...row, ...change } : row));
  const add = () =>
    setRows([
      ...rows,
      { key: `new-${Date.now()}`, label: '', color: statusColors[rows.length % statusColors.length]! },
    ]);
  return (
    <>
      <p className="-mt-4 text-muted">{t('boardSettings.statusesText')}</p>
      <SortableList
        items={rows}
        itemKey={(row) => row.key}
        itemName={(row) => row.label}
        onReorder={(next) => void put(next)}
        render={(row, index) => (
          <>
            <ColorChoice color={row.color} onChange={(color) => void put(edit(row.key, { color }))} />
            <Input
              aria-label={t('boardSettings.statusName')}
              autoFocus={row.value === undefined}
              placeholder={t('boardSettings.statusName')}
              value={row.label}
              maxLength={255}
              onChange={(event) => setRows(edit(row.key, { label: event.target.value }))}
              onBlur={() => {
                const stored = board.statuses.find(({ value }) => value === row.value)?.label;
                if (!row.label.trim())
                  setRows(
                    stored ? edit(row.key, { label: stored }) : rows.filter((one) => one.key !== row.key),
                  );
                else if (row.label.trim() !== stored) void put(rows);
              }}
              onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
              className="flex-1"
            />
            {index === 0 && (
              <span className="text-sm whitespace-nowrap text-faint">{t('boardSettings.firstStatus')}</span>
            )}
            <IconButton
              label={t('boardSettings.removeStatus', { name: row.label })}
              disabled={rows.length === 1}
              onClick={() => void put(rows.filter((one) => one.key !== row.key))}
            >
              <Trash2 className="size-4" />
            </IconButton>
          </>
        )}
      />
      <Button
        className="self-start"
        icon={<Plus className="size-3.5" />}
        disabled={rows.length >= limits.statusesPerKanban}
        onClick={add}
      >
        {t('boardSettings.addStatus')}
      </Button>
      {inUse && <MoveTo rows={inUse} onClose={() => setInUse(null)} onMove={(to) => void put(inUse, to)} />}
    </>
  );
}

const isSame = (rows: readonly Row[], statuses: Kanban['statuses']) =>
  rows.length === statuses.length &&
  rows.every(({ value, label, color }, index) => {
    const status = statuses[index]!;
    return value === status.value && label === status.label && color === status.color;
  });

function ColorChoice({ color, onChange }: { color: string; onChange(color: string): void }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t('boardSettings.color')}
      className="grid grid-cols-5 gap-1 p-2"
      trigger={
        <IconButton label={t('boardSettings.color')}>
          <span className="size-3 rounded-full" style={{ background: color }} />
        </IconButton>
      }
    >
      {statusColors.map((one) => (
        <button
          key={one}
          type="button"
          aria-label={one}
          aria-pressed={one === color}
          onClick={() => {
            setOpen(false);
            onChange(one);
          }}
          className="flex size-7 items-center justify-center rounded-control hover:bg-hover aria-pressed:bg-pressed"
        >
          <span className="size-3.5 rounded-full" style={{ background: one }} />
        </button>
      ))}
    </Popover>
  );
}

/** Asks where the records of a removed status go. */
function MoveTo({ rows, onClose, onMove }: { rows: Row[]; onClose(): void; onMove(value: string): void }) {
  const options = rows.flatMap(({ value, label }) => (value ? [{ value, label }] : []));
  const [to, setTo] = useState(options[0]?.value);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('boardSettings.moveTitle')}
      description={t('boardSettings.moveText')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" disabled={!to} onClick={() => onMove(to!)}>
            {t('boardSettings.moveAndRemove')}
          </Button>
        </>
      }
    >
      <Field label={t('boardSettings.moveTo')}>
        {(ids) => <Select {...ids} value={to} onChange={setTo} options={options} />}
      </Field>
    </Dialog>
  );
}
