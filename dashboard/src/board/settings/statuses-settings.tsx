import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { limits } from '../../../../contract/limits.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { statusColors } from '../../ui/hues.ts';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { add, edit, order, remove, type StatusRow, useStatusChanges } from './status-changes.ts';

/** A change is saved at once, except of a column that has no name yet. */
export function StatusesSettings({ board }: { board: Kanban }) {
  const { rows: stored, put, inUse, keepInUse, moveInUse } = useStatusChanges(board);
  const [added, setAdded] = useState<StatusRow | null>(null);
  const rows = added ? [...stored, added] : stored;
  const setName = (row: StatusRow, label: string) => {
    if (row === added) setAdded(null);
    if (!label || label === row.label) return;
    put(row === added ? add({ ...row, label }) : edit(row.key, { label }));
  };
  const setColor = (row: StatusRow, color: string) => {
    if (row === added) setAdded({ ...row, color });
    else put(edit(row.key, { color }));
  };
  return (
    <>
      <p className="-mt-4 text-muted">{t('boardSettings.statusesText')}</p>
      <SortableList
        items={rows}
        itemKey={(row) => row.key}
        itemName={(row) => row.label}
        onReorder={(next) => put(order(next.map(({ key }) => key)))}
        render={(row, index) => (
          <>
            <ColorChoice color={row.color} onChange={(color) => setColor(row, color)} />
            <StatusName label={row.label} isNew={row === added} onBlur={(label) => setName(row, label)} />
            {index === 0 && (
              <span className="text-sm whitespace-nowrap text-faint">{t('boardSettings.firstStatus')}</span>
            )}
            <IconButton
              label={t('boardSettings.removeStatus', { name: row.label })}
              disabled={rows.length === 1}
              onClick={() => (row === added ? setAdded(null) : put(remove(row.key)))}
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
        onClick={() =>
          setAdded({
            key: `new-${Date.now()}`,
            label: '',
            color: statusColors[rows.length % statusColors.length]!,
          })
        }
      >
        {t('boardSettings.addStatus')}
      </Button>
      {inUse && <MoveTo rows={inUse} onClose={keepInUse} onMove={moveInUse} />}
    </>
  );
}

interface StatusNameProps {
  label: string;
  isNew: boolean;
  /** What was typed; the label itself, if nothing was. */
  onBlur(label: string): void;
}

function StatusName({ label, isNew, onBlur }: StatusNameProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Input
      aria-label={t('boardSettings.statusName')}
      autoFocus={isNew}
      placeholder={t('boardSettings.statusName')}
      value={typed ?? label}
      maxLength={255}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => {
        setTyped(null);
        onBlur((typed ?? label).trim());
      }}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      className="flex-1"
    />
  );
}

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

interface MoveToProps {
  rows: readonly StatusRow[];
  onClose(): void;
  onMove(value: string): void;
}

/** Asks where the records of a removed status go. */
function MoveTo({ rows, onClose, onMove }: MoveToProps) {
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
